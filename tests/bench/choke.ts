/** Requests a second through the whole choke point, beside a bare route of the same framework that gives the same answer. */
import { Agent, get } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { startTestServer } from '../support/server.ts'
import { type Figure, interleave } from './measure.ts'

const rounds = 7
const requests = 2_000
const atOnce = 16

export async function benchChoke(): Promise<Figure[]> {
  const often = { burst: 1e9, everyMs: 1e-3 }
  const rates = { light: often, normal: often, costly: often, secret: often }
  await using server = await startTestServer({
    limits: { rates },
    replies: 'trusted',
    log: { level: 'silent', stream: process.stderr },
  })
  const { headers } = await server.signIn()
  const path = '/api/account/session'
  const answer = await (await fetch(server.url + path, { headers })).text()
  const bare = await startBare(path, answer)
  try {
    const perSecond = async (origin: string) => {
      const began = performance.now()
      await ask(origin + path, headers)
      return requests / ((performance.now() - began) / 1000)
    }
    await perSecond(server.url)
    await perSecond(bare.url)
    const { ours, yardstick } = await interleave(
      rounds,
      () => perSecond(server.url),
      () => perSecond(bare.url),
    )
    const beside = { name: 'a bare route', value: yardstick }
    return [{ name: `GET ${path}, session and token checked, ${atOnce} at once`, value: ours, unit: '/s', beside }]
  } finally {
    await bare.close()
  }
}

/** Only the server depends on the framework, so it is found from there. */
async function startBare(path: string, answer: string) {
  const { default: fastify } = createRequire(new URL('../../server/package.json', import.meta.url))('fastify') as {
    default: () => BareApp
  }
  const app = fastify()
  app.get(path, async (_request, reply) => reply.type('application/json; charset=utf-8').send(answer))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, close: () => app.close() }
}

interface BareReply {
  type(name: string): BareReply
  send(text: string): BareReply
}
interface BareApp {
  readonly server: { address(): unknown }
  get(path: string, handler: (request: unknown, reply: BareReply) => Promise<BareReply>): void
  listen(at: { readonly port: number; readonly host: string }): Promise<unknown>
  close(): Promise<void>
}

/** All requests over connections that are kept. */
async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  let left = requests
  const one = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
        response.resume().once('end', resolve)
      }).once('error', reject)
    })
  const work = async () => {
    while (left > 0) {
      left -= 1
      await one()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  agent.destroy()
}
