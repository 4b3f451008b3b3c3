import { randomBytes } from 'node:crypto'
import type { Ids } from '@bridlewise/engine'
import { makeId } from '@bridlewise/shared/wire'
import { describe, expect, it, vi } from 'vitest'
import { clock } from '../clock.ts'
import type { Leaving } from '../llm/bridge.ts'
import { createHolds, type HoldCall } from './holds.ts'

const scope = { userId: 'user_1', chatId: 'chat_1', runId: 'run_1' }
const egress = { endpoint: 'e', modelId: 'm', bytes: 2, digest: 'd1', messages: 1, tools: 0, redactions: {}, fixture: false }
const request = { runId: 'run_1', step: 1, modelId: 'm', messages: [], tools: [] }
const leaving: Leaving = { request, body: '{}', egress, redactions: new Map() }
const ids: Ids = { next: (noun) => makeId(noun, Date.now(), randomBytes(16)) }

function hold(holdMs: number, unanswered: HoldCall['unanswered'] = async () => undefined) {
  const holds = createHolds({ clock, ids, holdMs })
  const controller = new AbortController()
  const holding = holds.hold({ scope, leaving, unanswered }, controller.signal)
  const holdId = holds.list(scope, 'run_1')[0]?.request.id ?? ''
  return { holds, holding, controller, place: { ...scope, holdId } }
}

describe('a request that waits', () => {
  it('is sent by an answer for the body that waits, and by one alone', async () => {
    const { holds, holding, place } = hold(60_000)
    const code = (given: object, digest = 'd1') => {
      const taken = holds.take({ ...place, ...given }, digest)
      return taken.ok ? 'ok' : taken.refusal.code
    }
    expect(code({ userId: 'user_2' })).toBe('hold_over')
    expect(code({ runId: 'run_2' })).toBe('hold_over')
    expect(code({}, 'd2')).toBe('hold_over')
    const taken = holds.take(place, 'd1')
    expect(code({})).toBe('hold_over')
    if (taken.ok) taken.value.release()
    expect(await holding.answer).toEqual({ ok: true, value: 'send' })
    expect(holds.list(scope, 'run_1')).toEqual([])
  })

  it('is given up when nobody answers, once that is on record', async () => {
    vi.useFakeTimers()
    try {
      const recorded = Promise.withResolvers<void>()
      const { holds, holding, place } = hold(60_000, () => recorded.promise)
      const settled = vi.fn()
      void holding.answer.then(settled)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(holds.take(place, 'd1')).toMatchObject({ refusal: { code: 'hold_over' } })
      expect(settled).not.toHaveBeenCalled()
      recorded.resolve()
      expect(await holding.answer).toMatchObject({ ok: false, refusal: { code: 'egress_unanswered' } })
    } finally {
      vi.useRealTimers()
    }
  })

  it('is not sent when it cannot be recorded what was answered', async () => {
    const { holds, holding, place } = hold(60_000)
    const taken = holds.take(place, 'd1')
    if (taken.ok) taken.value.fail(new Error('disk full'))
    await expect(holding.answer).rejects.toThrow('disk full')
  })

  it('waits no longer than its run', async () => {
    const { holds, holding, controller, place } = hold(60_000)
    controller.abort()
    expect((await holding.answer).ok).toBe(false)
    expect(holds.take(place, 'd1').ok).toBe(false)
  })
})
