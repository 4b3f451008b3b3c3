import type { Egress, ProbeStep } from '@bridlewise/shared/wire'
import { afterEach, describe, expect, it } from 'vitest'
import { personalities, profileOf, scriptOf } from '../../tests/support/personalities.ts'
import { answers, answersWith, hangup, type Script } from '../../tests/support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { newId } from '../../tests/support/store.ts'
import { straight } from '../../tests/support/straight.ts'
import { createBridge } from './bridge.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close()
})

const clock = { now: Date.now, elapsed: () => performance.now() }

interface Probed {
  readonly endpoint: ScriptedEndpoint
  readonly sent: readonly Egress[]
  readonly steps: readonly ProbeStep[]
}

async function probeIt(script: Script, kind = 'custom', signal = new AbortController().signal) {
  const endpoint = await startScriptedEndpoint(script)
  const dispatcher = straight()
  const bridge = createBridge({
    dispatcher,
    clock,
    ids: { next: newId },
    version: '0.0.0',
    fixtures: false,
    onDenied: () => undefined,
  })
  open.push(endpoint, dispatcher)
  const sent: Egress[] = []
  const steps: ProbeStep[] = []
  const hooks = { onSend: async (egress: Egress) => void sent.push(egress), onStep: (step: ProbeStep) => void steps.push(step) }
  const target = { endpoint: { kind, baseUrl: endpoint.baseUrl, apiKey: 'probe-key' }, modelId: 'scripted' }
  const found = bridge.probe(target, hooks, signal)
  return { found, seen: { endpoint, sent, steps } satisfies Probed, probing: bridge.probing }
}

describe('a probe of an endpoint', () => {
  it.each(personalities.map((one) => [one.name, one] as const))('that %s finds its profile', async (_, one) => {
    const { found, seen, probing } = await probeIt(scriptOf(one), one.kind)
    expect(await found).toEqual({ ok: true, value: profileOf(one) })
    expect(seen.steps).toHaveLength(probing.questions.length)
    expect(seen.endpoint.all.length).toBeLessThanOrEqual(probing.bounds.requests)
    expect(seen.sent.map(({ bytes }) => bytes)).toEqual(seen.endpoint.received.map(({ raw }) => raw.length))
  })

  it.each<[string, Script['steps'], string]>([
    ['refuses the key', () => answers(401, { error: { message: 'no' } }), 'endpoint_unauthorized'],
    ['asks to wait', () => answers(429, ''), 'endpoint_rate_limited'],
    ['hangs up', () => hangup, 'endpoint_unreachable'],
    ['redirects', () => answers(307, '', { location: 'http://127.0.0.1:9' }), 'endpoint_redirected'],
    ['knows no such model', () => answers(404, { error: { message: 'no such model' } }), 'endpoint_refused'],
  ])('that %s ends with that', async (_, steps, code) => {
    const { found } = await probeIt({ steps })
    const result = await found
    expect(result.ok || result.refusal.code).toBe(code)
  })

  it('ends when it is told to, and sends nothing more', async () => {
    const leaving = new AbortController()
    const { found, seen } = await probeIt(
      {
        steps: (_, count) => {
          if (count === 2) leaving.abort(new Error('enough'))
          return answersWith('ready')
        },
      },
      'custom',
      leaving.signal,
    )
    await expect(found).rejects.toThrow('enough')
    expect(seen.endpoint.received).toHaveLength(3)
  })
})
