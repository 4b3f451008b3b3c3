#!/usr/bin/env node
/**
 * `node server/main.js`: serve until told to stop. Loads nothing before it knows that the runtime can run it.
 *
 * Plain JavaScript, for two reasons: a Node that cannot read TypeScript still says so in words, and no
 * type is stripped before the compile cache is on. Node's stripper takes 16 MB and is never given back.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(`Bridlewise needs Node 24 and this is ${process.versions.node}. Start it with "npm start", which brings its own.`)
  process.exit(1)
}
// Not the shared temporary directory: what lies in the cache is executed.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/bridlewise-compile', import.meta.url)))

const { serve } = await import('./cli/index.ts')
process.exitCode = await serve(process.env)
