/** The way to endpoints, told from what a real proxy saw and from what really arrived (OUT-07 to OUT-09). */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { blocks } from '@bridlewise/shared'
import { createClient } from '@bridlewise/shared/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findForms, formsOf, makeCanary } from '../support/canary.ts'
import { makeAuthority } from '../support/certificates.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { answersWith, redirects } from '../support/script.ts'
import { need } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const password = makeCanary()
const said = makeCanary()
const authority = makeAuthority()
const remote = { name: 'remote', kind: 'custom', baseUrl: 'https://models.test/v1', models: ['scripted'] }

let endpoint: ScriptedEndpoint
let proxy: TestProxy
let silent: TestProxy
let server: TestServer
let client: Awaited<ReturnType<typeof signIn>>
/** TLS before the scripted endpoint, for the name models.test. */
const front = createTlsServer(authority.issue({ names: ['models.test'] }), (socket) => {
  socket.on('error', () => undefined)
  socket.pipe(connect(endpoint.port, '127.0.0.1')).pipe(socket)
})

beforeAll(async () => {
  endpoint = await startScriptedEndpoint({
    models: ['scripted'],
    steps: [answersWith('One.'), redirects('https://evil.test/v1')],
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const to = (front.address() as AddressInfo).port
  proxy = await startProxy({ to, credentials: `me:${password}` })
  silent = await startProxy({ to, answers: 'nothing' })
  server = await startTestServer({ modelLimits: { connectMs: 500 } })
  client = await signIn(server)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await silent[Symbol.asyncDispose]()
  await endpoint.close()
  front.close()
})

async function signIn(at: TestServer) {
  const { headers } = await at.signIn()
  return createClient(blocks, { origin: at.url, fetch, headers: () => headers })
}

const listed = async () => {
  const answer = await client.provider.listModels({ baseUrl: remote.baseUrl })
  return answer.ok ? answer.value.models : answer.refusal.code
}
const setProxy = (more: object) =>
  client.network.setProxy({ address: `http://localhost:${proxy.port}`, username: 'me', password, ...more })

async function run(prompt: string) {
  const { providers } = need(await client.provider.list({}))
  const providerId = providers[0]?.id ?? need(await client.provider.create(remote)).provider.id
  const { run } = need(await client.run.start({ prompt, model: { providerId, modelId: 'scripted' } }))
  for await (const _ of client.run.stream({ runId: run.id })) {
    // To its end.
  }
  return need(await client.run.get({ runId: run.id })).run
}

describe('an endpoint beyond a proxy', () => {
  it('is reached once the proxy and the authority are set, and not before (OUT-08, OUT-09)', async () => {
    need(await setProxy({}))
    expect(await listed()).toBe('endpoint_untrusted')
    expect(endpoint.all).toEqual([])
    expect(await client.network.addAuthorities({ certificates: authority.issue({ names: ['models.test'] }).cert })).toMatchObject(
      {
        ok: false,
        refusal: { code: 'authorities_invalid', message: expect.stringContaining('Add the one that signed it') },
      },
    )
    need(await client.network.addAuthorities({ certificates: authority.cert }))
    expect(await listed()).toEqual(['scripted'])
    expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT models.test:443']))
  })

  it('is told everything in a tunnel, and never what opens the proxy', async () => {
    expect(await run(`Keep ${said}. The proxy is opened with ${password}.`)).toMatchObject({ outcome: { kind: 'completed' } })
    const arrived = endpoint.received[0]?.raw.toString() ?? ''
    expect(arrived).toContain(said)
    expect(arrived).not.toContain(password)
    expect(JSON.stringify(endpoint.received[0]?.headers)).not.toContain('proxy')
    expect(proxy.carried().toString('latin1')).not.toContain(said)
  })

  it('that points elsewhere is not followed, also where a proxy would go there (OUT-03)', async () => {
    expect(await run('Once more.')).toMatchObject({ outcome: { refusal: { code: 'endpoint_redirected' } } })
    expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT models.test:443']))
  })

  it('is out of reach with a wrong password, a proxy that says nothing or one that is gone, each in its own words', async () => {
    const before = endpoint.all.length
    need(await setProxy({ password: 'another' }))
    expect(await listed()).toBe('proxy_unauthorized')
    need(await client.network.setProxy({ address: `http://localhost:${silent.port}` }))
    expect(await run('Go.')).toMatchObject({
      outcome: {
        kind: 'failed',
        refusal: {
          code: 'endpoint_stalled',
          message: expect.stringContaining(`through the proxy http://localhost:${silent.port}`),
        },
      },
    })
    need(await client.network.setProxy({ address: 'http://localhost:9' }))
    expect(await listed()).toBe('proxy_unreachable')
    expect(endpoint.all).toHaveLength(before)
    need(await setProxy({}))
    expect(await listed()).toEqual(['scripted'])
  })

  it('is beyond it, and this machine never is', async () => {
    const seen = proxy.seen.length
    expect(need(await client.provider.listModels({ baseUrl: endpoint.baseUrl })).models).toEqual(['scripted'])
    expect(proxy.seen).toHaveLength(seen)
  })
})

describe('what opens a proxy', () => {
  it('stands in no reply, no log, no file and no bundle; where the proxy is stands in the posture alone', async () => {
    const network = need(await client.network.get({}))
    expect(network.proxy).toContain(`http://localhost:${proxy.port} (with a password), named by an administrator`)
    const posture = need(await client.posture.get({}))
    expect(posture.lines.find(({ id }) => id === 'proxy')).toMatchObject({
      state: 'partly',
      evidence: expect.stringMatching(/localhost:\d+.*through a proxy, last to 127\.0\.0\.1:\d+/),
    })
    expect(posture.lines.find(({ id }) => id === 'authorities')).toMatchObject({ state: 'partly' })
    const { events } = need(await client.audit.list({}))
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['proxy_set', 'authorities_added']))
    const { bundle } = need(await client.diagnostics.gather({}))
    expect(JSON.stringify(bundle)).not.toContain(`localhost:${proxy.port}`)
    const pair = Buffer.from(`me:${password}`).toString('base64')
    for (const text of [network, posture, events, bundle, server.log].map((told) => JSON.stringify(told))) {
      expect(text).not.toContain(password)
      expect(text).not.toContain(pair)
    }
    expect(findForms([server.config.homes.data, server.config.homes.keys], formsOf(password))).toEqual([])
  })
})

describe('a proxy that the environment names', () => {
  it('goes before the one that was set, and exempts hosts from both (OUT-07)', async () => {
    const HTTPS_PROXY = `http://me:${password}@localhost:${proxy.port}`
    await using other = await startTestServer({ environment: { HTTPS_PROXY, no_proxy: '.exempt.test' } })
    client = await signIn(other)
    need(await client.network.setProxy({ address: 'http://localhost:9', exempt: '' }))
    need(await client.network.addAuthorities({ certificates: authority.cert }))
    expect(await listed()).toEqual(['scripted'])
    const network = need(await client.network.get({}))
    expect(network).toMatchObject({
      proxy: expect.stringContaining('named by the environment'),
      proxies: [
        { id: 'environment', state: 'in force', exempt: '.exempt.test' },
        { id: 'stored', state: 'not asked', exempt: '.exempt.test' },
      ],
    })
    expect(JSON.stringify([network, other.log])).not.toContain(password)
  })
})
