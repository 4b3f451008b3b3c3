import { afterEach, describe, expect, it } from 'vitest'
import { type Answer, answers, silence } from '../../tests/support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { straight } from '../../tests/support/straight.ts'
import { listModels } from './models.ts'
import { needsKey, presets } from './providers.ts'
import { createTransport } from './transport.ts'
import type { ModelLimits } from './types.ts'

const limits: ModelLimits = {
  connectMs: 1_000,
  firstMs: 200,
  idleMs: 200,
  noticeMs: 200,
  answerLength: 10_000,
  wireBytes: 100_000,
  lineBytes: 1_000,
  calls: 4,
}
const dispatcher = straight()
const transport = createTransport({ dispatcher, version: '0.0.0', limits, onDenied: () => undefined })
const open: ScriptedEndpoint[] = []
afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.close()
})

async function list(models: readonly string[] | Answer, apiKey: string | null = null, more = { kind: 'custom', query: '' }) {
  const endpoint = await startScriptedEndpoint({ models, steps: [] })
  open.push(endpoint)
  const listed = await listModels(
    { transport, limits },
    { kind: more.kind, baseUrl: endpoint.baseUrl + more.query, apiKey },
    AbortSignal.timeout(5_000),
  )
  return { endpoint, listed }
}

const json = (body: unknown) => answers(200, body).answer

describe('a list of models', () => {
  it('is asked for with the key, and keeps its order', async () => {
    const { endpoint, listed } = await list(['b', 'a'], 'local-key')
    expect(listed).toEqual({ ok: true, value: ['b', 'a'] })
    expect(endpoint.all[0]?.headers['authorization']).toBe('Bearer local-key')
  })

  it('is asked for in the way of a gateway: its own header, and its version after the path', async () => {
    const { endpoint, listed } = await list(['a'], 'local-key', { kind: 'azure', query: '?api-version=2024-10-21' })
    expect(listed.ok).toBe(true)
    expect(endpoint.all[0]?.path).toBe('/v1/models?api-version=2024-10-21')
    expect(endpoint.all[0]?.headers).toMatchObject({ 'api-key': 'local-key' })
    expect(endpoint.all[0]?.headers['authorization']).toBeUndefined()
  })

  it.each<[string, unknown, readonly string[]]>([
    ['as data', { data: [{ id: 'a' }, { id: 'a' }, { id: '' }, {}, null] }, ['a']],
    ['as models', { models: [{ name: 'a' }] }, ['a']],
    ['bare', [{ id: 'a' }, 'b'], ['a', 'b']],
    ['long, in one line', { data: [{ id: 'a', description: 'x'.repeat(20_000) }] }, ['a']],
  ])('is read %s', async (_how, body, models) => {
    expect((await list(json(body))).listed).toEqual({ ok: true, value: models })
  })

  it.each<[string, Answer, string]>([
    ['no list', json({ object: 'nothing' }), 'endpoint_nonsense'],
    ['no JSON', answers(200, '<html>').answer, 'endpoint_nonsense'],
    ['too long', answers(200, 'x'.repeat(200_000)).answer, 'answer_too_large'],
    ['a redirect', answers(302, '', { location: 'http://127.0.0.1:9' }).answer, 'endpoint_redirected'],
    ['a wrong key', answers(401, '').answer, 'endpoint_unauthorized'],
    ['a missing page', answers(404, '').answer, 'endpoint_refused'],
    ['silence', silence.answer, 'endpoint_stalled'],
  ])('that is %s is refused', async (_what, answer, code) => {
    const { listed } = await list(answer)
    expect(listed.ok || listed.refusal.code).toBe(code)
  })

  it('is not asked for at an address that is never contacted', async () => {
    const endpoint = { kind: 'custom', baseUrl: 'http://169.254.169.254/v1', apiKey: null }
    const listed = await listModels({ transport, limits }, endpoint, AbortSignal.timeout(5_000))
    expect(listed.ok || listed.refusal.code).toBe('provider_address_invalid')
  })
})

it('a key is needed by a service, and not by the same protocol on this machine', () => {
  expect(needsKey({ kind: 'openai', baseUrl: 'https://api.openai.com/v1' })).toBe(true)
  expect(needsKey({ kind: 'openai', baseUrl: 'http://127.0.0.1:4000/v1' })).toBe(false)
  expect(needsKey({ kind: 'ollama', baseUrl: 'http://192.168.1.5:11434/v1' })).toBe(false)
  expect(needsKey({ kind: 'custom', baseUrl: 'https://models.example.com/v1' })).toBe(false)
})

it('every preset says where to get a key or how to start the server', () => {
  expect(presets.filter(({ hint }) => hint === '')).toEqual([])
  expect(new Set(presets.map(({ kind }) => kind)).size).toBe(presets.length)
})
