/** Rows of a sealed column written and read a second, beside the same rows in SQLite with the same settings, not sealed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Frame } from '@bridlewise/shared/wire'
import { openDatabase } from '../../server/storage/database.ts'
import { addRun, addUser, openTempStore } from '../support/store.ts'
import { type Figure, interleave } from './measure.ts'

const rows = 20_000
/** Rows in one commit, and in one read. */
const group = 500

export async function benchSealed(): Promise<Figure[]> {
  const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-bench-'))
  await using temp = await openTempStore()
  const plain = openDatabase(path.join(base, 'plain.db'))
  try {
    plain.exec('CREATE TABLE frames (runId TEXT, number INTEGER, kind TEXT, data BLOB, PRIMARY KEY (runId, number))')
    const insert = plain.prepare<[string, number, string, Buffer]>('INSERT INTO frames VALUES (?, ?, ?, ?)')
    const after = plain.prepare<[string, number, number], { data: Buffer }>(
      'SELECT data FROM frames WHERE runId = ? AND number > ? ORDER BY number LIMIT ?',
    )
    const owner = addUser(temp, 'bench')
    const { frames } = temp.store
    const scopes = Array.from({ length: 5 }, () => addRun(temp.store, owner))
    const [sealedRuns, plainRuns] = [scopes.values(), scopes.values()]

    const written = await interleave(
      scopes.length,
      async () => {
        const scope = sealedRuns.next().value ?? fail()
        return rate((from) => frames.write(scope, makeFrames(from)))
      },
      async () => {
        const { runId } = plainRuns.next().value ?? fail()
        return rate((from) =>
          plain.transaction(() => {
            for (const frame of makeFrames(from)) insert.run(runId, frame.number, frame.kind, Buffer.from(JSON.stringify(frame)))
          }),
        )
      },
    )
    const [scope = fail()] = scopes
    const read = await interleave(
      5,
      async () => rate((from) => void frames.read(scope, scope.runId, { after: from, limit: group })),
      async () => rate((from) => after.all(scope.runId, from, group).map(({ data }) => JSON.parse(data.toString()) as Frame)),
    )
    return [figure('sealed rows written, five hundred a commit', written), figure('sealed rows read, five hundred at once', read)]
  } finally {
    plain.close()
    rmSync(base, { recursive: true, force: true })
  }
}

function makeFrames(from: number): readonly Frame[] {
  return Array.from(
    { length: group },
    (_, at): Frame => ({ number: from + at + 1, kind: 'text', step: 1, text: 'x'.repeat(200) }),
  )
}

/** How many rows a second: `work` is given the number before its group. */
function rate(work: (from: number) => void): number {
  const started = performance.now()
  for (let from = 0; from < rows; from += group) work(from)
  return rows / ((performance.now() - started) / 1000)
}

function figure(name: string, { ours, yardstick }: { readonly ours: number; readonly yardstick: number }): Figure {
  return { name, value: ours, unit: '/s', beside: { name: 'the same rows, not sealed', value: yardstick } }
}

function fail(): never {
  throw new Error('a run for each round')
}
