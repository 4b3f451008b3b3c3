/** The built cockpit: exactly the files that the build made, each at its own path. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

export const cockpitHome = fileURLToPath(new URL('../cockpit/dist', import.meta.url))

/**
 * Serve the files below a directory, and its `index.html` at `/`.
 *
 * Contract: the list of paths is made at start; no request decides which file is read. Without a
 * build the page says how to make one.
 */
export async function serveCockpit(app: FastifyInstance, home: string): Promise<void> {
  if (!existsSync(join(home, 'index.html'))) {
    app.get('/', async (_request, reply) => reply.code(503).type('text/html; charset=utf-8').send(unbuilt))
    return
  }
  await app.register(fastifyStatic, {
    root: home,
    wildcard: false,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      // The build puts the hash of their content into the names below `assets/`.
      const lasting = path.startsWith(join(home, 'assets', '/'))
      reply.header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}

const unbuilt =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bridlewise</title></head><body><h1>Bridlewise</h1>' +
  '<p>The server runs, and the cockpit was not built yet.</p><p>Stop the server and start it with <code>npm start</code>, ' +
  'or build the cockpit alone with <code>node cockpit/build.ts</code>, and start again.</p></body></html>'
