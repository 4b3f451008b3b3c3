/**
 * Erases, in steps, content that nothing leads to any more.
 *
 * A chat or a run goes in one stroke and with it every way to what it held; the rows that it leaves,
 * of which there may be hundreds of thousands, go after it. The table `remains` names them, so a
 * process that was killed goes on where it was.
 */
import type { StoreContext } from './context.ts'

export interface Erasure {
  /** The first step of a removal, inside its transaction: what is small is gone with its commit. */
  begin(): void
  /**
   * Erase some of what is left, in one commit.
   *
   * Contract: holds the event loop for some milliseconds, however much is left. False when nothing was.
   */
  step(): boolean
  /** Called when a removal has left more than its own commit erased. The listener must not wait. */
  onRemains(listener: () => void): void
}

type Kind = 'chat' | 'run' | 'stream' | 'result' | 'version'

interface Remains {
  readonly kind: Kind
  readonly id: string
  readonly upTo: number
}

/** Rows of a step. Each is overwritten and its place in every index with it. */
const rowsAtOnce = 400
/** Whole results and contents of files of a step; one may have megabytes. */
const resultsAtOnce = 4

export function createErasure({ database }: Pick<StoreContext, 'database'>): Erasure {
  const first = database.prepare<[], Remains>('SELECT kind, id, upTo FROM remains ORDER BY rowid LIMIT 1')
  const moveOn = database.prepare<[number, Kind, string]>('UPDATE remains SET upTo = ? WHERE kind = ? AND id = ?')
  const finish = database.prepare<[Kind, string]>('DELETE FROM remains WHERE kind = ? AND id = ?')
  const nextBeats = database.prepare<[string, number, number], { last: number | null; count: number }>(
    `SELECT max(seq) AS last, count(*) AS count FROM
     (SELECT seq FROM beats WHERE chatId = ? AND seq > ? ORDER BY seq LIMIT ?)`,
  )
  const payloads = database.prepare<[string, number, number]>(
    'DELETE FROM beat_payloads WHERE seq IN (SELECT seq FROM beats WHERE chatId = ? AND seq > ? AND seq <= ?)',
  )
  const messages = database.prepare<[string, number]>(
    'DELETE FROM messages WHERE number IN (SELECT number FROM messages WHERE chatId = ? LIMIT ?)',
  )
  const texts = database.prepare<[string, number]>(
    'DELETE FROM departed_texts WHERE number IN (SELECT number FROM departed_texts WHERE chatId = ? LIMIT ?)',
  )
  const departures = database.prepare<[string, number]>(
    'DELETE FROM departures WHERE number IN (SELECT number FROM departures WHERE runId = ? LIMIT ?)',
  )
  const frames = database.prepare<[string, string, number]>(
    'DELETE FROM frames WHERE runId = ? AND number IN (SELECT number FROM frames WHERE runId = ? ORDER BY number LIMIT ?)',
  )
  const results = database.prepare<[string, number]>(
    'DELETE FROM blobs WHERE id IN (SELECT id FROM blobs WHERE runId = ? LIMIT ?)',
  )
  const result = database.prepare<[string]>('DELETE FROM blobs WHERE id = ?')
  const versions = database.prepare<[string, number]>(
    'DELETE FROM versions WHERE id IN (SELECT id FROM versions WHERE chatId = ? LIMIT ?)',
  )
  const version = database.prepare<[string]>('DELETE FROM versions WHERE id = ?')
  const listeners: (() => void)[] = []

  /** A few rows that may be large count for as many as a step has. */
  function eraseLarge(run: () => number) {
    const whole = run()
    return { rows: whole * (rowsAtOnce / resultsAtOnce), more: whole === resultsAtOnce }
  }

  /** Rows that went, and whether more of the same may be there. */
  const erasers: Readonly<Record<Kind, (left: Remains, most: number) => { readonly rows: number; readonly more: boolean }>> = {
    chat({ id, upTo }, most) {
      const { last, count } = nextBeats.get(id, upTo, most) ?? { last: null, count: 0 }
      if (last === null) {
        const rows = messages.run(id, most)
        const sent = rows > 0 ? rows : texts.run(id, most)
        if (sent > 0) return { rows: sent, more: true }
        return eraseLarge(() => versions.run(id, resultsAtOnce))
      }
      payloads.run(id, upTo, last)
      moveOn.run(last, 'chat', id)
      return { rows: count, more: true }
    },
    run({ id }, most) {
      const rows = frames.run(id, id, most)
      const sent = rows > 0 ? rows : departures.run(id, most)
      if (sent > 0) return { rows: sent, more: true }
      return eraseLarge(() => results.run(id, resultsAtOnce))
    },
    stream({ id }, most) {
      const rows = frames.run(id, id, most)
      return { rows, more: rows === most }
    },
    result: ({ id }) => ({ ...eraseLarge(() => result.run(id)), more: false }),
    version: ({ id }) => ({ ...eraseLarge(() => version.run(id)), more: false }),
  }

  function eraseSome(): boolean {
    let spent = 0
    for (let left = first.get(); left !== undefined; left = first.get()) {
      const { rows, more } = erasers[left.kind](left, rowsAtOnce - spent)
      if (!more) finish.run(left.kind, left.id)
      // The row itself is work too, or a thousand empty runs would be one step.
      spent += rows + 1
      if (spent >= rowsAtOnce) return true
    }
    return spent > 0
  }

  return {
    begin() {
      eraseSome()
      if (first.get() !== undefined) for (const tell of listeners) tell()
    },
    step: () => first.get() !== undefined && database.transaction(eraseSome),
    onRemains: (listener) => void listeners.push(listener),
  }
}
