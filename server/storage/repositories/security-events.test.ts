import { describe, expect, it } from 'vitest'
import { openTempStore } from '../../../tests/support/store.ts'
import type { SecurityEventRow } from './security-events.ts'

const bounds = { keep: 3, since: 0 }

function row(number: number, given: Partial<SecurityEventRow> = {}): SecurityEventRow {
  const detail = { address: '127.0.0.1', method: 'GET', path: '/', count: 1, firstAt: number, lastAt: number }
  return { number, kind: 'host_not_allowed', minute: 0, userId: null, detail, ...given }
}

describe('security events', () => {
  it('are read newest first, page by page', async () => {
    await using temp = await openTempStore()
    const { securityEvents } = temp.store
    await securityEvents.write([row(1), row(2), row(3)], bounds)
    const first = securityEvents.list({ limit: 2 })
    expect(first.items.map(({ number }) => number)).toEqual([3, 2])
    expect(securityEvents.list({ limit: 2, after: first.next }).items.map(({ number }) => number)).toEqual([1])
    expect(securityEvents.list({ limit: 2, after: 'nonsense' }).items).toEqual([])
  })

  it('take a grown count into the row that stands there', async () => {
    await using temp = await openTempStore()
    const { securityEvents } = temp.store
    await securityEvents.write([row(1)], bounds)
    const grown = row(1)
    await securityEvents.write([{ ...grown, detail: { ...grown.detail, count: 7 } }], bounds)
    expect(securityEvents.list({ limit: 9 }).items).toMatchObject([{ number: 1, detail: { count: 7 } }])
  })

  it('keep the newest of each kind, so that a flood of one pushes out nothing of another', async () => {
    await using temp = await openTempStore()
    const { securityEvents } = temp.store
    await securityEvents.write([row(1, { kind: 'signed_in' })], bounds)
    await securityEvents.write(
      [2, 3, 4, 5, 6].map((number) => row(number)),
      bounds,
    )
    expect(securityEvents.list({ limit: 9 }).items.map(({ number }) => number)).toEqual([6, 5, 4, 1])
  })

  it('end with their time', async () => {
    await using temp = await openTempStore()
    const { securityEvents } = temp.store
    await securityEvents.write([row(1, { minute: 10 }), row(2, { minute: 20 })], { keep: 9, since: 20 })
    expect(securityEvents.list({ limit: 9 }).items.map(({ number }) => number)).toEqual([2])
  })

  it('give no number twice, also after a new start', async () => {
    await using temp = await openTempStore()
    await temp.store.securityEvents.write([row(temp.store.securityEvents.nextNumber())], bounds)
    await temp.reopen()
    expect(temp.store.securityEvents.nextNumber()).toBe(2)
  })

  it.each([
    ['of another kind', "UPDATE security_events SET kind = 'signed_out' WHERE number = 1"],
    ['of another person', "UPDATE security_events SET userId = 'user_else' WHERE number = 1"],
    ['of another minute', 'UPDATE security_events SET minute = 60000 WHERE number = 1'],
    [
      'of another row',
      'UPDATE security_events SET detail = (SELECT detail FROM security_events WHERE number = 2) WHERE number = 1',
    ],
    ['in plain text', "UPDATE security_events SET detail = '{}' WHERE number = 1"],
  ])('made %s are shown as changed, and hide no other', async (_what, change) => {
    await using temp = await openTempStore()
    const { securityEvents } = temp.store
    await securityEvents.write([row(1, { kind: 'signed_in', userId: 'user_a' }), row(2)], bounds)
    temp.change(change)
    const [second, first] = securityEvents.list({ limit: 9 }).items
    expect(first?.detail).toBe(null)
    expect(second?.detail).toMatchObject({ count: 1 })
  })
})
