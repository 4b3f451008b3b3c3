/** Somebody edits the ledger by SQL, with its triggers taken away. Verification must name the first bad place. */
import { join } from 'node:path'
import { makeWellFormed, payloadDigest } from '@bridlewise/engine'
import type { BeatDraft } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../server/storage/database.ts'
import { type BeatScope, type Ledger, StorageFault, type Store } from '../../server/storage/index.ts'
import { createLedger } from '../../server/storage/ledger.ts'
import { createSeal } from '../../server/storage/seal.ts'
import { exited, mustOk, openRunHouse } from '../support/run-room.ts'
import { calls, finishes, streams } from '../support/script.ts'
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

function scopeIn(temp: TempStore): BeatScope {
  const [scope] = temp.rows<BeatScope>('SELECT userId, runId, chatId FROM beats LIMIT 1')
  if (scope === undefined) throw new Error('the ledger is empty')
  return scope
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

  it('cannot tell that its tail was cut off, except against a receipt that was noted before', async () => {
    await using temp = await openNine()
    const { receipt } = await temp.store.ledger.verify()
    if (receipt === null) throw new Error('a whole ledger has a receipt')
    dropTriggers(temp)
    temp.change('DELETE FROM beats WHERE seq = 9')
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, entries: 8 })
    expect(await temp.store.ledger.verify(undefined, receipt)).toMatchObject({
      valid: false,
      receipt: null,
      broken: { seq: 9, problem: 'is missing: the ledger once reached entry 9' },
    })
  })

  it('shows against a noted receipt that it was written anew, and holds against it as it grows', async () => {
    await using temp = await openNine()
    await using anew = await openNine()
    const { receipt } = await temp.store.ledger.verify()
    if (receipt === null) throw new Error('a whole ledger has a receipt')
    temp.store.ledger.write(scopeIn(temp), finding('later'))
    expect(await temp.store.ledger.verify(undefined, receipt)).toMatchObject({ valid: true, entries: 10 })
    expect(await anew.store.ledger.verify()).toMatchObject({ valid: true, entries: 9 })
    expect(await anew.store.ledger.verify(undefined, receipt)).toMatchObject({
      valid: false,
      broken: { seq: 9, problem: 'is not the one that was exported as head' },
    })
  })

  it('lets a payload go on request alone, and still verifies', async () => {
    await using temp = await openNine()
    const { userId, chatId } = scopeIn(temp)
    temp.change("UPDATE runs SET status = 'completed'")
    expect(temp.store.chats.remove({ userId }, chatId ?? '').ok).toBe(true)
    expect(temp.rows('SELECT * FROM beat_payloads')).toEqual([])
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, entries: 9, erased: 9 })
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
    const scope = scopeIn(temp)
    temp.change(`INSERT INTO beats (seq, ${fields}) SELECT 10, ${fields.replace('id', "'beat_copy'")} FROM beats WHERE seq = 9`)
    await expect(temp.store.ledger.append(scope, finding('late'))).rejects.toThrow()
    expect((await temp.store.ledger.append(scope, finding('later'))).seq).toBe(11)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: false, broken: { seq: 10 } })
  })

  it('gets one order from two writers at once, without a fork or a gap', async () => {
    await using temp = await openNine()
    const scope = scopeIn(temp)
    const databases = [0, 1].map(() => openDatabase(join(temp.homes.data, 'bridlewise.db')))
    const seal = createSeal({ active: '00'.repeat(8), keys: new Map([['00'.repeat(8), Buffer.alloc(32, 1)]]) })
    const ledgers = databases.map((database) => createLedger({ database, seal, bootId: 'b', now: () => 1 }))
    // A writer whose place was taken is refused by the primary key, looks again and comes next.
    const write = async (ledger: Ledger, title: string): Promise<void> =>
      ledger.append(scope, finding(title)).then(
        () => undefined,
        () => write(ledger, title),
      )
    await Promise.all(ledgers.flatMap((ledger, by) => Array.from({ length: 40 }, (_, n) => write(ledger, `${by} ${n}`))))
    for (const database of databases) database.close()
    const chain = temp.rows<{ seq: number; previous: string; hash: string }>('SELECT seq, previous, hash FROM beats ORDER BY seq')
    expect(chain.map(({ seq }) => seq)).toEqual(Array.from({ length: 89 }, (_, at) => at + 1))
    expect(chain.slice(1).map(({ previous }) => previous)).toEqual(chain.slice(0, -1).map(({ hash }) => hash))
  })
})

describe('what an entry is hashed from', () => {
  // The digests were made by another program, from the canonical text.
  it.each<[string, unknown, string]>([
    ['minus nought is nought', [-0, 0], 'aba294c63b9d33dfbcbe4de4655d5edd5cf669660fc0886eadb2a94419eb2342'],
    ['a whole number has one spelling', [1.0, 1, 1], '675c60bbd225cbd5e291a6272b2e1843d57d14f537875f9d9ff241a795f865c7'],
    [
      'members come sorted, however they came',
      { b: 1, a: { d: 2, c: 3 } },
      '682df1ba4d5ce8d39f9e35396603fe018af867573fe05fcb8945060fd838ee1d',
    ],
    ['a composed letter', 'caf\u00e9', 'b243b14456bb2ac0a95aaeac34dfc5ef01637352380e57208c93ba331a25f41a'],
    [
      'the same letter decomposed, which is another text',
      'cafe\u0301',
      '9c768b19862f855f1cbbf882d130b8536c15da24e4f0fe1c7b007d1813cb6319',
    ],
    [
      'half a character, replaced when it is recorded',
      makeWellFormed('x\ud800'),
      '45ad2902cd2ed57457ec71bfffc6b53781128180374f13f66fdbdcafe36328e1',
    ],
    [
      'of two members with one name the last',
      JSON.parse('{"a":1,"a":2}'),
      'd506f010a10ab41a555ed8b63eb1168ae6a628fe3d5fc7d86f20f8091edc21a4',
    ],
    [
      'a number beyond 2^53, as a double holds it',
      JSON.parse('[9007199254740993]'),
      '6b3f025a0ece4170c489e078bc659feba22af27cfb18be7e3bf33c165a0924c8',
    ],
    ['numbers that print with an exponent', [1e21, 1e-7], 'fb73de91f21e2b0ccc3290c810b46f4cca6de758175557c634cf1272f82fbbef'],
  ])('has one text on every machine: %s', (_, payload, digest) => {
    expect(payloadDigest(Buffer.alloc(16, 7), payload)).toBe(digest)
  })
})

describe('an effect whose record was not written', () => {
  it('has its intent in the ledger, and is recovered as unknown', async () => {
    const disk = { full: false, refused: Promise.withResolvers<void>() }
    const over = (store: Store): Store => ({
      ...store,
      transaction(work) {
        if (!disk.full) return store.transaction(work)
        disk.refused.resolve()
        throw new StorageFault('storage_full', {})
      },
      async enqueue(work) {
        if (!disk.full) return await store.enqueue(work)
        disk.refused.resolve()
        throw new StorageFault('storage_full', {})
      },
    })
    const runProcess = async () => {
      disk.full = true
      return exited('it happened')
    }
    const step = streams([calls('execute_command', { command: 'true' }), finishes('tool_calls')])
    await using house = await openRunHouse([step], { over, runProcess, limits: { endAgainMs: 5 } })
    const { room } = house
    const project = await room.addProject()
    const run = mustOk(await room.start({ projectId: project.id }))
    await disk.refused.promise
    const kinds = () => room.store.ledger.list(room.owner, { runId: run.id, limit: 50 }).items.map(({ kind }) => kind)
    expect(kinds().at(-1)).toBe('call')
    disk.full = false
    await room.watch(run.id)
    expect(kinds().slice(-3)).toEqual(['call', 'unknown', 'run_ended'])
  })
})
