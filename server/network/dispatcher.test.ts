import type { LookupAddress } from 'node:dns'
import { type EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Certified, makeAuthority } from '../../tests/support/certificates.ts'
import { type ProxyOptions, startProxy, type TestProxy } from '../../tests/support/proxy.ts'
import { readAuthorities } from './authorities.ts'
import { createDispatcher, type Dispatcher, type NetworkSettings } from './dispatcher.ts'
import { certificateProblem, type NetworkFailure } from './failures.ts'
import type { ProxyNames } from './way.ts'

/** What a name resolves to in the test at hand; a real resolver could not be told. */
let resolved = '127.0.0.1'
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof import('node:dns')>()),
  lookup: (_name: string, _options: object, done: (failure: null, addresses: LookupAddress[]) => void) =>
    done(null, [{ address: resolved, family: 4 }]),
}))

const authority = makeAuthority()
const trusted = readTrusted(authority.cert)
const secure = await serveSecurely(authority.issue({ names: ['models.test', 'localhost'] }))
const expired = await serveSecurely(authority.issue({ names: ['models.test', 'localhost'], to: '250101' }))
const plain = createServer((_request, response) => response.end('plain'))
beforeAll(async () => {
  plain.listen(0, '127.0.0.1')
  await once(plain, 'listening')
})
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port

const open: AsyncDisposable[] = []
const dispatchers: Dispatcher[] = []
afterEach(async () => {
  resolved = '127.0.0.1'
  for (const dispatcher of dispatchers.splice(0)) dispatcher.close()
  for (const thing of open.splice(0)) await thing[Symbol.asyncDispose]()
})
afterAll(() => {
  for (const server of [secure, expired, plain]) server.close()
})

async function proxyTo(server: { address(): unknown }, more: Omit<ProxyOptions, 'to'> = {}): Promise<TestProxy> {
  const proxy = await startProxy({ to: portOf(server), ...more })
  open.push(proxy)
  return proxy
}

interface Given {
  readonly names?: ProxyNames | null
  readonly settings?: NetworkSettings
}

function dispatcherWith({ names = null, settings = { proxy: null, authorities: trusted } }: Given): Dispatcher {
  const parts = { environment: names, system: null, authoritiesFile: null, settings: () => settings }
  const dispatcher = createDispatcher(parts)
  dispatchers.push(dispatcher)
  return dispatcher
}

const through = (proxy: TestProxy, opener = '', exempt = ''): ProxyNames => {
  const address = `http://${opener}localhost:${proxy.port}`
  return { http: address, https: address, exempt }
}

const request = (url: string) =>
  ({ url: new URL(url), method: 'POST', headers: { 'x-key': 'sesame' }, body: 'words of mine' }) as const

async function send(dispatcher: Dispatcher, url: string, signal = new AbortController().signal) {
  const happened: string[] = []
  const incoming: IncomingMessage = await dispatcher.send(request(url), {
    signal,
    onProxy: (place) => happened.push(`proxy ${place}`),
    onConnected: () => happened.push('connected'),
  })
  return { happened, status: incoming.statusCode, body: await text(incoming) }
}

const models = `https://models.test:${portOf(secure)}/v1`
const lan = 'http://models.lan/v1'

describe('a request', () => {
  it('goes through a proxy that learns a name and nothing of the words', async () => {
    const proxy = await proxyTo(secure, { credentials: 'me:sesame-opens' })
    const dispatcher = dispatcherWith({ names: through(proxy, 'me:sesame-opens@') })
    const { happened, body } = await send(dispatcher, models)
    expect(happened).toEqual([`proxy http://localhost:${proxy.port}`, 'connected'])
    expect(body).toBe('POST /v1 sesame undefined words of mine')
    expect(proxy.seen).toEqual([`CONNECT models.test:${portOf(secure)}`])
    expect(proxy.carried().length).toBeGreaterThan(500)
    expect(proxy.carried().toString('latin1')).not.toMatch(/words of mine|x-key/)
    const facts = dispatcher.facts()
    expect(facts.sent).toEqual({ direct: 0, proxied: 1, lastProxy: `127.0.0.1:${proxy.port}` })
    expect(JSON.stringify(facts)).not.toContain('sesame-opens')
    expect(dispatcher.secrets()).toContain('sesame-opens')
  })

  it('keeps its tunnel for the next one', async () => {
    const proxy = await proxyTo(secure)
    const dispatcher = dispatcherWith({ names: through(proxy) })
    for (let time = 0; time < 3; time += 1) expect((await send(dispatcher, models)).status).toBe(200)
    expect(proxy.seen).toHaveLength(1)
  })

  it('without TLS is handed to the proxy whole', async () => {
    const proxy = await proxyTo(plain, { credentials: 'me:sesame-opens' })
    expect((await send(dispatcherWith({ names: through(proxy, 'me:sesame-opens@') }), lan)).body).toBe('plain')
    expect(proxy.seen).toEqual([`POST ${lan}`])
  })

  it('goes through a proxy that is itself reached with TLS', async () => {
    const proxy = await proxyTo(secure, { tls: authority.issue({ names: ['localhost'] }) })
    const address = `https://localhost:${proxy.port}`
    expect((await send(dispatcherWith({ names: { http: null, https: address, exempt: '' } }), models)).status).toBe(200)
    expect(proxy.seen).toHaveLength(1)
  })

  it.each([
    ['this machine by its name', () => `http://localhost:${portOf(plain)}/`],
    ['this machine by its address', () => `http://127.0.0.1:${portOf(plain)}/`],
  ])('goes straight to %s', async (_what, url) => {
    const proxy = await proxyTo(plain)
    const dispatcher = dispatcherWith({ names: through(proxy) })
    expect(await send(dispatcher, url())).toMatchObject({ status: 200, happened: ['connected'] })
    expect(proxy.seen).toEqual([])
    expect(dispatcher.facts().sent).toEqual({ direct: 1, proxied: 0, lastProxy: null })
  })

  it('goes straight to a host that is exempt', async () => {
    const proxy = await proxyTo(secure)
    const dispatcher = dispatcherWith({ names: through(proxy, '', 'models.test') })
    // No test gets further than this.
    await expect(send(dispatcher, models)).rejects.toThrow('a test tried to reach models.test')
    expect(await send(dispatcher, models.replace('models.test', 'other.test')).catch(certificateProblem)).toMatchObject({
      problem: 'it is for another name',
    })
    expect(proxy.seen).toHaveLength(1)
  })

  it.each([
    ['https://169.254.169.254/v1', 'the metadata address'],
    ['http://8.8.8.8/v1', 'a public address without TLS'],
  ])('to %s goes no way at all, a proxy among them', async (url) => {
    const proxy = await proxyTo(plain)
    await expect(send(dispatcherWith({ names: through(proxy) }), url)).rejects.toMatchObject({ name: 'AddressForbidden' })
    expect(proxy.seen).toEqual([])
  })
})

describe('a proxy', () => {
  it.each<[string, Omit<ProxyOptions, 'to'>, string, string, RegExp]>([
    ['wants a password and gets none', { credentials: 'a:b' }, '', 'proxy_unauthorized', /none were given.*Set them/],
    ['does not take the password', { credentials: 'a:b' }, 'me:sesame-opens@', 'proxy_unauthorized', /not accepted/],
    ['forbids the endpoint', { answers: 403 }, 'me:sesame-opens@', 'proxy_refused', /\(403\).*exempt/],
    ['cannot find the endpoint', { answers: 502 }, '', 'proxy_refused', /\(502\)/],
    ['points elsewhere', { answers: 302 }, '', 'proxy_refused', /\(302\)/],
  ])('that %s is a refusal that says what to do', async (_what, options, opener, code, message) => {
    const proxy = await proxyTo(secure, options)
    const sent = send(dispatcherWith({ names: through(proxy, opener) }), models)
    await expect(sent).rejects.toMatchObject({ refusal: { code, message: expect.stringMatching(message) } })
    await sent.catch((failure: NetworkFailure) => expect(JSON.stringify(failure.refusal)).not.toContain('sesame-opens'))
  })

  it('that wants a password without a tunnel is the same refusal', async () => {
    const proxy = await proxyTo(plain, { credentials: 'a:b' })
    await expect(send(dispatcherWith({ names: through(proxy) }), lan)).rejects.toMatchObject({
      refusal: { code: 'proxy_unauthorized' },
    })
  })

  it.each([
    ['is not there', 'http://localhost:9', 'proxy_unreachable', /nothing listens there/],
    ['lies at an address that is never contacted', 'http://localhost:3128', 'proxy_unreachable', /169\.254\.169\.254/],
    ['cannot be read', 'socks5://localhost:1', 'proxy_invalid', /only http and https/],
  ])('that %s lets nothing go past it', async (what, address, code, message) => {
    resolved = what.startsWith('lies') ? '169.254.169.254' : '127.0.0.1'
    for (const [url, server] of [
      [models, secure],
      [lan, plain],
    ] as const) {
      const counted = countRequests(server)
      const names = { http: address, https: address, exempt: '' }
      await expect(send(dispatcherWith({ names }), url)).rejects.toMatchObject({
        refusal: { code, message: expect.stringMatching(message) },
      })
      expect(counted()).toBe(0)
    }
  })

  it('whose own certificate is not trusted gets nothing, not even its password', async () => {
    const proxy = await proxyTo(secure, { tls: makeAuthority().issue({ names: ['localhost'] }) })
    const names = { http: null, https: `https://me:sesame@localhost:${proxy.port}`, exempt: '' }
    await expect(send(dispatcherWith({ names }), models)).rejects.toMatchObject({
      refusal: { code: 'proxy_unreachable', message: expect.stringContaining('authority that is not known') },
    })
    expect(proxy.seen).toEqual([])
  })

  it('that says nothing is left when the sender gives up, and keeps no connection', async () => {
    const proxy = await proxyTo(secure, { answers: 'nothing' })
    const giveUp = new AbortController()
    const sent = send(dispatcherWith({ names: through(proxy) }), models, giveUp.signal)
    await proxy.arrived(1)
    giveUp.abort()
    await expect(sent).rejects.toThrow()
    await vi.waitFor(() => expect(proxy.open()).toBe(0))
  })
})

describe('a certificate', () => {
  const untrusted = { proxy: null, authorities: [] }
  it.each<[string, [straight: string, proxied: string], typeof secure, NetworkSettings | undefined, RegExp]>([
    ['of an authority that nobody added', ['localhost', 'models.test'], secure, untrusted, /not known here/],
    ['whose time is over', ['localhost', 'models.test'], expired, undefined, /expired/],
    ['for another name', ['127.0.0.1', 'other.test'], secure, undefined, /another name/],
  ])(
    '%s ends the connection before anything is sent, straight and through a proxy',
    async (_what, [straight, proxied], server, settings, problem) => {
      const proxy = await proxyTo(server)
      const counted = countRequests(server)
      for (const [names, host] of [
        [null, straight],
        [through(proxy), proxied],
      ] as const) {
        const url = `https://${host}:${portOf(server)}/v1`
        const sent = send(dispatcherWith({ names, ...(settings ? { settings } : {}) }), url)
        const cause: unknown = await sent.then(
          () => null,
          (failure: unknown) => failure,
        )
        expect(certificateProblem(cause)?.problem).toMatch(problem)
        expect(certificateProblem(cause)?.remedy).not.toBe('')
      }
      expect([proxy.seen.length, counted()]).toEqual([1, 0])
    },
  )

  it('is not even looked at by an endpoint that only speaks an old TLS', async () => {
    const certified = authority.issue({ names: ['localhost'] })
    const old = createSecureServer({ ...certified, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
    old.listen(0, '127.0.0.1')
    await once(old, 'listening')
    const counted = countRequests(old)
    await expect(send(dispatcherWith({}), `https://localhost:${portOf(old)}/v1`)).rejects.toMatchObject({
      code: expect.stringMatching(/PROTOCOL|EPROTO|VERSION/),
    })
    expect(counted()).toBe(0)
    old.close()
  })

  it('of an added authority is taken from the next request on, and no more once it is removed', async () => {
    const near = `https://localhost:${portOf(secure)}/v1`
    let settings: NetworkSettings = untrusted
    const dispatcher = createDispatcher({ environment: null, system: null, authoritiesFile: null, settings: () => settings })
    dispatchers.push(dispatcher)
    await expect(send(dispatcher, near)).rejects.toThrow()
    settings = { proxy: null, authorities: trusted }
    dispatcher.renew()
    expect((await send(dispatcher, near)).status).toBe(200)
    settings = untrusted
    dispatcher.renew()
    await expect(send(dispatcher, near)).rejects.toThrow()
  })
})

/** Counts until it is asked. */
function countRequests(server: EventEmitter): () => number {
  let requests = 0
  const count = () => {
    requests += 1
  }
  server.on('request', count)
  return () => {
    server.off('request', count)
    return requests
  }
}

function readTrusted(bundle: string) {
  const read = readAuthorities(bundle, Date.now())
  if (!read.ok) throw new Error(read.refusal.message)
  return read.value
}

async function serveSecurely(certified: Certified) {
  const server = createSecureServer(certified, async (incoming, response) => {
    const { 'x-key': key, 'proxy-authorization': opener } = incoming.headers
    response.end(`${incoming.method} ${incoming.url} ${key} ${opener} ${await text(incoming)}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
