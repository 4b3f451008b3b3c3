/** Somebody edits the ledger by SQL, with its triggers taken away. Verification must name the first bad place. */
import type { BeatDraft } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, openTempStore, type TempStore } from '../support/store.ts'

const finding = (title: string): BeatDraft => ({
  kind: 'finding',
  source: 'server',
  payload: { severity: 'info', title, text: '', evidence: [] },
})

/** Nine beats: enough for a middle, a start and an end. */
async function openNine(): Promise<TempStore> {
  const temp = await openTempStore()
  const scope = addRun(temp.store, addUser(temp, 'ann'))
  await Promise.all(Array.from({ length: 9 }, (_, i) => temp.store.ledger.append(scope, finding(`beat ${i + 1}`))))
  return temp
}

function dropTriggers(temp: TempStore): void {
  for (const { name } of temp.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
    temp.change(`DROP TRIGGER ${name}`)
  }
}

const fields = 'id, kind, userId, runId, chatId, at, payloadDigest, previous, hash'

describe('the ledger, edited behind the server’s back', () => {
  it.each<[string, number, readonly string[]]>([
    ['a time was changed', 5, ['UPDATE beats SET at = at + 1 WHERE seq = 5']],
    ['a kind was changed', 5, ["UPDATE beats SET kind = 'effect' WHERE seq = 5"]],
    ['an owner was changed', 5, ["UPDATE beats SET userId = 'user_other' WHERE seq = 5"]],
    ['a payload’s digest was changed', 5, ['UPDATE beats SET payloadDigest = hash WHERE seq = 5']],
    ['a hash was changed', 5, ['UPDATE beats SET hash = previous WHERE seq = 5']],
    ['a sealed payload was changed', 5, ['UPDATE beat_payloads SET sealed = zeroblob(80) WHERE seq = 5']],
    [
      'two payloads were exchanged',
      5,
      [
        'UPDATE beat_payloads SET seq = -1 WHERE seq = 5',
        'UPDATE beat_payloads SET seq = 5 WHERE seq = 6',
        'UPDATE beat_payloads SET seq = 6 WHERE seq = -1',
      ],
    ],
    ['a payload was lost that nobody asked to erase', 5, ['DELETE FROM beat_payloads WHERE seq = 5']],
    ['a middle beat was deleted', 5, ['DELETE FROM beat_payloads WHERE seq = 5', 'DELETE FROM beats WHERE seq = 5']],
    ['the first beat was deleted', 1, ['DELETE FROM beat_payloads WHERE seq = 1', 'DELETE FROM beats WHERE seq = 1']],
    [
      'a beat was deleted and the rest moved up',
      5,
      [
        'DELETE FROM beat_payloads WHERE seq = 5',
        'DELETE FROM beats WHERE seq = 5',
        'UPDATE beats SET seq = -seq WHERE seq > 5',
        'UPDATE beats SET seq = -seq - 1 WHERE seq < 0',
      ],
    ],
    [
      'two beats were exchanged',
      5,
      [
        'UPDATE beats SET seq = -1 WHERE seq = 5',
        'UPDATE beats SET seq = 5 WHERE seq = 6',
        'UPDATE beats SET seq = 6 WHERE seq = -1',
      ],
    ],
    [
      'a beat was repeated at the end',
      10,
      [`INSERT INTO beats (seq, ${fields}) SELECT 10, ${fields.replace('id', "'beat_copy'")} FROM beats WHERE seq = 9`],
    ],
    [
      'a beat was put before the first',
      0,
      [`INSERT INTO beats (seq, ${fields}) SELECT 0, ${fields.replace('id', "'beat_copy'")} FROM beats WHERE seq = 9`],
    ],
  ])('%s: named at %i', async (_, seq, edits) => {
    await using temp = await openNine()
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, entries: 9 })
    dropTriggers(temp)
    for (const edit of edits) temp.change(edit)
    const verdict = await temp.store.ledger.verify()
    expect(verdict).toMatchObject({ valid: false, broken: { seq } })
  })

  it('cannot tell that its tail was cut off, except against a head that was noted before', async () => {
    await using temp = await openNine()
    const noted = temp.store.ledger.head()
    dropTriggers(temp)
    temp.change('DELETE FROM beats WHERE seq = 9')
    const verdict = await temp.store.ledger.verify()
    expect(verdict).toMatchObject({ valid: true, entries: 8 })
    expect(verdict.head).not.toBe(noted.hash)
  })

  it.each([
    ['UPDATE beats SET at = 1 WHERE seq = 5', 'append-only'],
    ['DELETE FROM beats WHERE seq = 9', 'append-only'],
    ['UPDATE beat_payloads SET sealed = zeroblob(80) WHERE seq = 5', 'never changes'],
  ])('is refused by the database itself while its triggers stand: %s', async (edit, reason) => {
    await using temp = await openNine()
    expect(() => temp.change(edit)).toThrow(reason)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, entries: 9 })
  })

  it('takes an entry of a second writer into account instead of forking', async () => {
    await using temp = await openNine()
    const owner = temp.rows<{ userId: string; runId: string; chatId: string }>('SELECT userId, runId, chatId FROM beats LIMIT 1')
    const [scope = { userId: '', runId: null, chatId: null }] = owner
    temp.change(`INSERT INTO beats (seq, ${fields}) SELECT 10, ${fields.replace('id', "'beat_copy'")} FROM beats WHERE seq = 9`)
    await expect(temp.store.ledger.append(scope, finding('late'))).rejects.toThrow()
    expect((await temp.store.ledger.append(scope, finding('later'))).seq).toBe(11)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: false, broken: { seq: 10 } })
  })
})
