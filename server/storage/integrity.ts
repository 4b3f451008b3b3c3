/** What is known of the file's soundness: small databases are read before a start, larger ones beside the server. */
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { refuse } from '@bridlewise/shared/refusals'

export type Integrity =
  | { readonly state: 'sound' }
  | { readonly state: 'unchecked'; readonly reason: string }
  | { readonly state: 'damaged'; readonly problem: string }

/** Read whole before anything is served; it takes milliseconds. */
export const readAtStartBytes = 8 * 2 ** 20

/** Read whole before a start that follows a crash, when there is more reason to look. */
export const readAfterCrashBytes = 64 * 2 ** 20

/** Above this nothing is read while a server runs: a table that is being read cannot be left half-way at a stop. */
export const readBesideBytes = 2 * 2 ** 30

/** After the start, when the first calls have been answered. */
const delayMs = 10_000

/** Bytes of the database and its log. */
export function measureDatabase(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0)
}

/** `data_damaged`, with the newest copy that lies in the data home as the remedy. */
export function refuseDamage(home: string, problem: string) {
  return refuse('data_damaged', { path: join(home, 'bridlewise.db'), problem, backup: offerBackup(home) })
}

export interface IntegrityWatch {
  current(): Integrity
  /** Contract: stops between two tables; nothing of it outlives the store. */
  stop(): void
}

/** Reads a larger database in a thread of its own, some seconds after the start. A small one has been read. */
export function watchIntegrity(path: string, delay = delayMs): IntegrityWatch {
  const bytes = measureDatabase(path)
  if (bytes <= readAtStartBytes) return { current: () => ({ state: 'sound' }), stop: () => undefined }
  if (bytes > readBesideBytes) {
    const reason = `it has ${bytes} bytes, too many to read beside a running server; "bridlewise doctor" reads them`
    return { current: () => ({ state: 'unchecked', reason }), stop: () => undefined }
  }
  let current: Integrity = { state: 'unchecked', reason: 'it is read in the background after the start' }
  let worker: Worker | null = null
  const timer = setTimeout(() => {
    worker = new Worker(new URL('./integrity-worker.ts', import.meta.url), { workerData: path, env: {}, execArgv: [] })
    worker.unref()
    void awaitVerdict(worker).then((verdict) => {
      current = verdict
    })
  }, delay).unref()
  return {
    current: () => current,
    stop() {
      clearTimeout(timer)
      void worker?.terminate()
    },
  }
}

async function awaitVerdict(worker: Worker): Promise<Integrity> {
  try {
    const [problem] = (await once(worker, 'message')) as [string | null]
    return problem === null ? { state: 'sound' } : { state: 'damaged', problem }
  } catch (error) {
    return { state: 'unchecked', reason: `reading it failed (${error instanceof Error ? error.message : String(error)})` }
  }
}

function offerBackup(home: string): string {
  const directory = join(home, 'backups')
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.db')) : []
  const [newest] = names
    .map((name) => ({ path: join(directory, name), at: statSync(join(directory, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at)
  const file = newest === undefined ? '<file>' : newest.path
  return `Restore a backup with "bridlewise restore ${file}"; what lies there now is kept.`
}
