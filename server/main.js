#!/usr/bin/env node
/**
 * `node server/main.ts`: serve until told to stop. Loads nothing before it knows that the runtime can run it.
 *
 * Plain JavaScript behind the name `main.ts`, which is a link to it, for two reasons: a Node that cannot
 * read TypeScript still says so in words, and no type is stripped before the compile cache is on. Node's
 * stripper takes 16 MB and is never given back.
 */
import { fileURLToPath } from 'node:url'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`Bridlewise needs Node 24 and this is ${process.versions.node}. Start it with "npm start", which brings its own.`)
  process.exit(1)
}
// Only now: an older Node has not got all of these, and would say so instead of the above.
const { enableCompileCache } = await import('node:module')
const { setFlagsFromString } = await import('node:v8')
// Not the shared temporary directory: what lies in the cache is executed.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/bridlewise-compile', import.meta.url)))
// The young generation stays as small as it starts. Grown, it would hold 12 MB more of dead objects when idle and 45 MB
// more after a burst of tokens, and save a twentieth of the processor's time in a loop of calls.
setFlagsFromString('--semi-space-growth-factor=1')

// Not by the front door: the other commands would be loaded with it.
const { serve } = await import('./cli/serve.ts')
process.exitCode = await serve(process.env)
