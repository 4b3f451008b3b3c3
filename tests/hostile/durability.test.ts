/** Files of the data home are taken away, cut, exchanged: a start says so in words, changes nothing, and opens again once they are back. */
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BeatDraft } from '@bridlewise/shared/wire'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Homes, openStore } from '../../server/storage/index.ts'
import { type CrashJob, compileCache, crashWriter } from '../support/crash-writer.ts'
import { addRun, addUser, openTempStore } from '../support/store.ts'

const beat: BeatDraft = {
  kind: 'finding',
  source: 'server',
  payload: { severity: 'info', title: 'x', text: 'y'.repeat(900), evidence: [] },
}

/** Data homes to copy from: of a server that stopped earlier, of the same later, and of one that was killed then. */
interface States {
  readonly base: string
  readonly keys: string
  readonly earlier: string
  readonly stopped: string
  readonly killed: string
  readonly acknowledged: number
}

let states: States
beforeAll(async () => {
  await using temp = await openTempStore()
  const scope = addRun(temp.store, addUser(temp, 'ann'))
  const base = mkdtempSync(join(tmpdir(), 'bridlewise-durability-'))
  const keep = (name: string) => {
    cpSync(temp.homes.data, join(base, name), { recursive: true })
    return join(base, name)
  }
  for (let n = 0; n < 20; n += 1) await temp.store.ledger.append(scope, beat)
  temp.store.close()
  const earlier = keep('earlier')
  const store = await temp.reopen()
  for (let n = 0; n < 100; n += 1) await store.ledger.append(scope, beat)
  store.close()
  const stopped = keep('stopped')
  const acknowledged = await crashBehindTheLog(temp.homes, scope)
  const killed = keep('killed')
  cpSync(temp.homes.keys, join(base, 'keys'), { recursive: true })
  chmodSync(join(base, 'keys'), 0o700)
  states = { base, keys: join(base, 'keys'), earlier, stopped, killed, acknowledged }
  await temp.reopen()
})
afterAll(() => rmSync(states.base, { recursive: true, force: true }))

/**
 * Kill a writer when the newest entry that the witness names stands in the log alone, and not yet in
 * the database: only then is the loss of the log a loss that can be seen.
 */
async function crashBehindTheLog(homes: Homes, scope: CrashJob['scope']): Promise<number> {
  const database = join(homes.data, 'bridlewise.db')
  const noted = () => (JSON.parse(readFileSync(join(homes.data, 'witness.json'), 'utf8')) as { seq: number }).seq
  for (let from = 1; ; ) {
    const before = noted()
    const last = await crashWriter({ homes, scope, from, ripe: () => noted() > before })
    const alone = join(mkdtempSync(join(tmpdir(), 'bridlewise-durability-')), 'alone.db')
    copyFileSync(database, alone)
    const reader = new Database(alone)
    const { seq } = reader.prepare('SELECT max(seq) AS seq FROM beats').get() as { seq: number }
    reader.close()
    rmSync(dirname(alone), { recursive: true })
    if (seq < noted()) return before - 120 + last - from + 1
    // A checkpoint came between. The next writer begins where this one may have come to.
    from = last + 10
  }
}

let copies = 0
/** A data home of its own, as one of the states left it. */
function copyOf(state: 'earlier' | 'stopped' | 'killed'): Homes {
  copies += 1
  const data = join(states.base, `copy-${copies}`)
  cpSync(states[state], data, { recursive: true })
  return { data, keys: states.keys }
}

async function tryOpen(homes: Homes): Promise<string> {
  const opened = await openStore(homes)
  if (!opened.ok) return opened.refusal.code
  const { valid } = await opened.value.ledger.verify()
  opened.value.close()
  return valid ? 'opened' : 'opened, and its ledger does not verify'
}

/** Digests of what counts: the database, its log, and what was noted down. An empty log is none. */
function photograph({ data }: Homes): readonly (string | null)[] {
  const files = ['bridlewise.db', 'bridlewise.db-wal', 'witness.json'].map((name) => join(data, name))
  return files.map((file) => (existsSync(file) && statSync(file).size > 0 ? hash('sha256', readFileSync(file)) : null))
}

type Spoil = (path: string, data: string) => void
const remove =
  (ending: string): Spoil =>
  (path) =>
    rmSync(path + ending)

describe('a data home whose files were tampered with', () => {
  it('opens as it is, with every acknowledged write, after a stop and after a kill', async () => {
    expect(await tryOpen(copyOf('stopped'))).toBe('opened')
    const opened = await openStore(copyOf('killed'))
    if (!opened.ok) throw new Error(opened.refusal.message)
    expect(opened.value.ledger.head().seq).toBeGreaterThanOrEqual(120 + states.acknowledged)
    opened.value.close()
  })

  it.each<[string, 'stopped' | 'killed', Spoil]>([
    ['the index of the log was deleted', 'killed', remove('-shm')],
    ['the index of the log is garbage', 'killed', (path) => writeFileSync(`${path}-shm`, Buffer.alloc(32_768, 0xa5))],
    ['the witness was deleted', 'killed', (_path, data) => rmSync(join(data, 'witness.json'))],
    ['the note of the process was deleted', 'killed', (_path, data) => rmSync(join(data, 'lock.pid'))],
  ])('opens, complete, when %s', async (_what, state, spoil) => {
    const homes = copyOf(state)
    spoil(join(homes.data, 'bridlewise.db'), homes.data)
    const opened = await openStore(homes)
    if (!opened.ok) throw new Error(opened.refusal.message)
    expect(opened.value.ledger.head().seq).toBeGreaterThanOrEqual(120 + states.acknowledged)
    opened.value.close()
  })

  it.each<[string, 'stopped' | 'killed', readonly string[], Spoil]>([
    ['the log was deleted', 'killed', ['data_incomplete'], remove('-wal')],
    ['the log was emptied', 'killed', ['data_incomplete'], (path) => truncateSync(`${path}-wal`, 0)],
    ['the log was cut to its first pages', 'killed', ['data_incomplete'], (path) => truncateSync(`${path}-wal`, 32 + 3 * 4120)],
    ['the database was deleted, its log left', 'killed', ['data_incomplete'], remove('')],
    ['the database was deleted', 'stopped', ['data_incomplete'], remove('')],
    ['the database was emptied', 'stopped', ['data_incomplete'], (path) => truncateSync(path, 0)],
    [
      'only the database was copied back',
      'killed',
      ['data_incomplete'],
      (path) => ['-wal', '-shm'].map((end) => rmSync(path + end)),
    ],
    [
      'an older database lies in its place',
      'stopped',
      ['data_incomplete'],
      (path) => copyFileSync(join(states.earlier, 'bridlewise.db'), path),
    ],
    [
      'an older database lies under a newer log',
      'killed',
      ['data_incomplete', 'data_damaged'],
      (path) => copyFileSync(join(states.earlier, 'bridlewise.db'), path),
    ],
    ['it is no database', 'stopped', ['data_damaged'], (path) => writeFileSync(path, 'words'.repeat(2000))],
  ])('refuses, changes nothing and opens once they are back, when %s', async (_what, state, codes, spoil) => {
    const homes = copyOf(state)
    spoil(join(homes.data, 'bridlewise.db'), homes.data)
    const before = photograph(homes)
    const tried = await openStore(homes)
    if (tried.ok) tried.value.close()
    expect(codes).toContain(tried.ok ? 'opened' : tried.refusal.code)
    expect(tried.ok ? '' : tried.refusal.message).toContain('bridlewise restore')
    expect(photograph(homes)).toEqual(before)
    cpSync(states[state], homes.data, { recursive: true })
    expect(await tryOpen(homes)).toBe('opened')
  })

  it('refuses the log of another database', async () => {
    await using other = await openTempStore()
    const scope = addRun(other.store, addUser(other, 'bob'))
    await crashWriterOf(other.homes, async () => {
      other.store.close()
      return { homes: other.homes, scope, from: 1 }
    })
    const homes = copyOf('killed')
    copyFileSync(join(other.homes.data, 'bridlewise.db-wal'), join(homes.data, 'bridlewise.db-wal'))
    const before = photograph(homes)
    expect(['data_damaged', 'data_incomplete']).toContain(await tryOpen(homes))
    expect(photograph(homes)).toEqual(before)
    await other.reopen()
  })

  it('never opens a database that was cut, at whichever page', { timeout: 60_000 }, async () => {
    const homes = copyOf('stopped')
    const path = join(homes.data, 'bridlewise.db')
    const whole = readFileSync(path)
    const answers = new Set<string>()
    for (let size = whole.length - 4096; size >= 0; size -= 4096) {
      writeFileSync(path, whole.subarray(0, size))
      answers.add(await tryOpen(homes))
    }
    expect([...answers].sort()).toEqual(['data_damaged', 'data_incomplete'])
    writeFileSync(path, whole)
    expect(await tryOpen(homes)).toBe('opened')
  })

  it('offers the newest copy that it kept', async () => {
    const homes = copyOf('stopped')
    const backups = join(homes.data, 'backups')
    cpSync(states.earlier, backups, { recursive: true })
    for (const name of readdirSync(backups)) if (name !== 'bridlewise.db') rmSync(join(backups, name), { recursive: true })
    truncateSync(join(homes.data, 'bridlewise.db'), 4096 * 8)
    const tried = await openStore(homes)
    expect(tried.ok ? '' : tried.refusal.message).toContain(`bridlewise restore ${join(backups, 'bridlewise.db')}`)
  })
})

/** Kills a writer soon; for a log whose content does not matter. */
async function crashWriterOf(homes: Homes, prepare: () => Promise<Parameters<typeof crashWriter>[0]>): Promise<void> {
  await crashWriter(await prepare(), 50)
  expect(existsSync(join(homes.data, 'bridlewise.db-wal'))).toBe(true)
}

describe('two servers that race for one data home', () => {
  it('leave exactly one running, twenty times over', { timeout: 180_000 }, async () => {
    const base = mkdtempSync(join(tmpdir(), 'bridlewise-race-'))
    try {
      for (let round = 0; round < 20; round += 1) {
        const racers = [startRacer(base), startRacer(base)]
        const said = await Promise.all(racers.map(({ verdict }) => verdict))
        expect(said.sort(), `round ${round}`).toEqual(['data_home_locked', 'holds it'])
        for (const { child } of racers) child.kill('SIGKILL')
        await Promise.all(racers.map(({ gone }) => gone))
      }
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  })
})

/** Opens the store as a server's first step does, says how that went, and keeps it. */
const racer = `
  import { flushCompileCache } from 'node:module'
  import { openStore } from ${JSON.stringify(join(import.meta.dirname, '../../server/storage/index.ts'))}
  flushCompileCache()
  const opened = await openStore(JSON.parse(process.argv[1]))
  console.log(opened.ok ? 'holds it' : opened.refusal.code)
  setInterval(() => opened, 1000)`

function startRacer(base: string) {
  const homes = JSON.stringify({ data: join(base, 'data'), keys: join(base, 'keys') })
  const child = spawn(process.execPath, ['--input-type=module', '-e', racer, homes], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  const verdict = once(child.stdout, 'data').then(([chunk]) => String(chunk).trim())
  return { child, verdict, gone: once(child, 'close') }
}
