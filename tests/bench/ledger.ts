/** Durable ledger entries a second, beside plain rows and beside the barest chain that is sealed. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BeatDraft, makeId } from '@bridlewise/shared/wire'
import Database from 'better-sqlite3'
import { openStore } from '../../server/storage/index.ts'
import { need } from '../support/script-client.ts'
import { createChainBound } from './chain-bound.ts'
import { type Figure, interleave } from './measure.ts'

const single = 1000
const grouped = 10_000
const draft: BeatDraft = {
  kind: 'finding',
  source: 'server',
  payload: { severity: 'info', title: 'bench', text: 'x'.repeat(200), evidence: [] },
}

export async function benchLedger(): Promise<Figure[]> {
  const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-bench-'))
  const store = need(await openStore({ data: path.join(base, 'data'), keys: path.join(base, 'keys') }))
  const plain = new Database(path.join(base, 'plain.db'))
  const bound = createChainBound(path.join(base, 'bound.db'), JSON.stringify(draft))
  try {
    plain.pragma('journal_mode = WAL')
    plain.pragma('synchronous = FULL')
    plain.exec('CREATE TABLE rows (seq INTEGER PRIMARY KEY, body TEXT)')
    const insert = plain.prepare('INSERT INTO rows (body) VALUES (?)')
    const body = JSON.stringify(draft)
    const userId = makeId('user', Date.now(), randomBytes(16))
    need(store.users.createFirst({ id: userId, username: 'bench', role: 'admin', password: 'none', createdAt: Date.now() }))
    const scope = { userId, runId: null, chatId: null }

    const one = await interleave(
      5,
      () => rate(single, async () => void (await store.ledger.append(scope, draft))),
      () => rate(single, async () => void insert.run(body)),
    )
    const many = await interleave(
      5,
      () =>
        rate(
          grouped / 100,
          () => Promise.all(Array.from({ length: 100 }, () => store.ledger.append(scope, draft))).then(() => undefined),
          100,
        ),
      () => rate(grouped / 100, async () => bound.append(100), 100),
    )
    const verified = await interleave(
      3,
      () =>
        rate(
          1,
          async () => {
            if (!(await store.ledger.verify()).valid) throw new Error('the ledger does not verify')
          },
          store.ledger.head().seq,
        ),
      () => rate(1, async () => void bound.verify(), 5 * grouped),
    )
    return [
      {
        name: 'ledger entries, one a commit',
        value: one.ours,
        unit: '/s',
        beside: { name: 'plain rows', value: one.yardstick },
        goal: '≥ 0.85 ×',
      },
      {
        name: 'ledger entries, a hundred a commit',
        value: many.ours,
        unit: '/s',
        beside: { name: 'the bare chain, sealed', value: many.yardstick },
        goal: '≥ 0.5 ×',
      },
      {
        name: 'ledger entries verified, payloads opened',
        value: verified.ours,
        unit: '/s',
        beside: { name: 'the bare chain, opened', value: verified.yardstick },
        goal: '≥ 0.5 ×',
      },
    ]
  } finally {
    plain.close()
    bound.close()
    store.close()
    rmSync(base, { recursive: true, force: true })
  }
}

/** How many a second: `times` runs of `work`, each worth `each`. */
async function rate(times: number, work: () => Promise<void>, each = 1): Promise<number> {
  const started = performance.now()
  for (let time = 0; time < times; time += 1) await work()
  return (times * each) / ((performance.now() - started) / 1000)
}
