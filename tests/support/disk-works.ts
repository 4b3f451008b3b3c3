/** Pieces of work that are done on a disk that fails, and what must be true of them on a sound disk afterwards. */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Result } from '@bridlewise/shared/refusals'
import type { Beat } from '@bridlewise/shared/wire'
import Sqlite from 'better-sqlite3'
import { setUp } from '../../server/cli/index.ts'
import { openDatabase } from '../../server/storage/database.ts'
import type { Homes, Store } from '../../server/storage/index.ts'
import { apply, readJournal } from '../../server/storage/migrate.ts'
import { compileCache } from './crash-writer.ts'
import { type ScriptClient, scriptClient } from './script-client.ts'
import { ServerProcess } from './server-process.ts'

/** A directory with homes in it, and a project. */
export interface Ground {
  readonly base: string
  readonly homes: Homes
}

/** What was said while the disk failed. */
export interface Said {
  /** What was acknowledged: sentences that must stay true. */
  readonly done: string[]
  /** Codes of refusals. */
  readonly refused: string[]
  /** Anything else: a stack, an end without words. */
  readonly strange: string[]
}

export interface DiskWork {
  /** Puts into the directory what the work begins with. */
  prepare(ground: Ground): void
  run(ground: Ground, environment: Readonly<Record<string, string>>): Promise<Said>
}

/** A home with an account, an access token and a provider in it, to be copied. */
export interface Furnished {
  readonly base: string
  readonly secret: string
}

export const editedText = 'all of it\n'.repeat(200)

/** What is done by a process that has nothing but the store. */
export function storeWork(work: 'open' | 'rotate' | 'backup', prepare: DiskWork['prepare']): DiskWork {
  return {
    prepare,
    async run({ base, homes }, environment) {
      const words = [
        fileURLToPath(new URL('./store-work.ts', import.meta.url)),
        work,
        JSON.stringify(homes),
        join(base, 'kept.db'),
      ]
      const child = spawn(process.execPath, words, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...environment },
      })
      const [lines, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
      return sort([...lines.split('\n'), ...(errors === '' ? [] : [`strange ${errors}`])])
    },
  }
}

/** From nothing to a signed-in person with a project. */
export const firstStart: DiskWork = {
  prepare: ({ base }) => void mkdirSync(join(base, 'project')),
  run: (ground, environment) =>
    withServer(ground, environment, async (server, note) => {
      const account = { code: server.setupCode, username: 'ada', password: 'a long enough passphrase' }
      const client = note('account', await setUp(server.url, account))
      if (client) note('project', await client.project.create({ name: 'p', path: join(ground.base, 'project') }))
    }),
}

/** A project, a run in it whose model creates a file, and its end. */
export function chatWork(furnished: () => Furnished): DiskWork {
  return {
    prepare({ base }) {
      mkdirSync(join(base, 'project'))
      for (const home of ['data', 'keys']) cpSync(join(furnished().base, home), join(base, home), { recursive: true })
      chmodSync(join(base, 'keys'), 0o700)
    },
    run: (ground, environment) =>
      withServer(ground, environment, async (server, note) => {
        const client = scriptClient(server.url, furnished().secret)
        const project = note('project', await client.project.create({ name: 'p', path: join(ground.base, 'project') }))
        if (!project) return
        const started = note('run', await client.run.start({ prompt: 'write it', projectId: project.project.id }))
        if (!started) return
        note(`run ${started.run.id}`, { ok: true, value: null })
        const status = await awaitEnd(client, started.run.id)
        if (status !== null) note(`end ${started.run.id} ${status}`, { ok: true, value: null })
      }),
  }
}

/** A home of the first schema. */
export function layOldHome({ homes }: Ground): void {
  mkdirSync(homes.data)
  const database = openDatabase(join(homes.data, 'bridlewise.db'))
  const [first] = readJournal()
  apply(database, first === undefined ? [] : [first])
  database.exec("INSERT INTO acceptances VALUES (1, 'kept', 'ann', 1)")
  database.close()
}

/** Sentences that were said and are not so, asked of the store after a start on a sound disk. */
export function findLies({ base, homes }: Ground, store: Store, said: Said): string[] {
  const database = new Sqlite(join(homes.data, 'bridlewise.db'), { readonly: true })
  const one = (sql: string, ...params: unknown[]) =>
    Object.values(database.prepare<unknown[], Record<string, unknown>>(sql).get(...params) ?? {})[0]
  const holds = (sentence: string): boolean => {
    const [what = '', id = '', status = ''] = sentence.split(' ')
    if (what === 'account') return one('SELECT count(*) FROM users') === 1
    if (what === 'project') return one('SELECT count(*) FROM projects') === 1
    if (what === 'beat') return one('SELECT count(*) FROM beats WHERE seq = ?', Number(id)) === 1
    if (what === 'run') return id === '' || one("SELECT count(*) FROM messages WHERE runId = ? AND role = 'user'", id) === 1
    if (what === 'end') return one('SELECT status FROM runs WHERE id = ?', id) === status
    if (what === 'rotate') return one('SELECT count(*) FROM keys WHERE retiredAt IS NULL') === 1
    if (what === 'backup') return existsSync(join(base, 'kept.db')) && readIntegrity(join(base, 'kept.db'))
    return what === 'open'
  }
  try {
    const lies = said.done.filter((sentence) => !holds(sentence))
    const half = database
      .prepare<[], { id: string }>(
        `SELECT id FROM runs WHERE chatId NOT IN (SELECT id FROM chats)
         OR (SELECT count(*) FROM messages WHERE runId = runs.id AND role = 'user') <> 1`,
      )
      .all()
      .map(({ id }) => `run ${id} is half-made`)
    return [...lies, ...half, ...findEditLies(base, readBeats(store, String(one('SELECT id FROM users'))))]
  } finally {
    database.close()
  }
}

/** The record of an edit against the file: one that happened is whole, and none is half there. */
function findEditLies(base: string, beats: readonly Beat[]): string[] {
  const file = join(base, 'project', 'made.txt')
  const found = existsSync(file) ? readFileSync(file, 'utf8') : null
  const said = beats.some((beat) => beat.kind === 'effect' && beat.payload.target.endsWith('made.txt'))
  if (found !== null && found !== editedText) return ['the edited file is half there']
  return said && found === null ? ['an edit is recorded that did not happen'] : []
}

function readBeats(store: Store, userId: string): readonly Beat[] {
  return store.ledger.list({ userId }, { limit: 500 }).items
}

function readIntegrity(path: string): boolean {
  const database = new Sqlite(path, { readonly: true })
  try {
    return database.pragma('integrity_check', { simple: true }) === 'ok'
  } finally {
    database.close()
  }
}

type Note = <T>(what: string, result: Result<T>) => T | null

/** A server of its own process on that disk, from its start to its stop. */
async function withServer(
  { base }: Ground,
  environment: Readonly<Record<string, string>>,
  use: (server: ServerProcess, note: Note) => Promise<void>,
): Promise<Said> {
  const lines: string[] = []
  const note: Note = (what, result) => {
    lines.push(result.ok ? `done ${what}` : `refused ${result.refusal.code}`)
    return result.ok ? result.value : null
  }
  let server: ServerProcess
  try {
    server = await ServerProcess.start(environment, base)
  } catch (error) {
    const last = String(error instanceof Error ? error.message : error).trim()
    const code = /ended with 1 before it listened:\n(?:(?:\{|Warning: LD_PRELOAD ).*\n)*[^\n]* \[(\w+)\]$/.exec(last)?.[1]
    return sort([code === undefined ? `strange ${last}` : `refused ${code}`])
  }
  try {
    await use(server, note)
  } catch (error) {
    lines.push(`strange ${error instanceof Error ? error.stack : String(error)}`)
  }
  const code = await server.kill('SIGTERM')
  if (code !== 0 && !/\[\w+\]\s*$/.test(server.log)) lines.push(`strange the server ended with ${code}: ${server.log}`)
  return sort(lines)
}

/** The status that a run ended with; null when it does not come to an end on this disk. */
async function awaitEnd(client: ScriptClient, runId: string): Promise<string | null> {
  for (let tries = 0; tries < 60; tries += 1) {
    const read = await client.run.get({ runId })
    if (read.ok && read.value.run.outcome !== null) return read.value.run.status
    await wait(25)
  }
  return null
}

function sort(lines: readonly string[]): Said {
  const said: Said = { done: [], refused: [], strange: [] }
  for (const line of lines) {
    const [first = '', ...rest] = line.split(' ')
    if (line === '') continue
    if (first === 'done' || first === 'refused') said[first].push(rest.join(' '))
    else said.strange.push(line)
  }
  return said
}
