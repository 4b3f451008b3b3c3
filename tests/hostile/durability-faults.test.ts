/**
 * The n-th write, sync, rename … fails, for each n, on a full and on a broken disk, once and for good.
 * Whatever is under way says a typed no, and on a sound disk afterwards all that was acknowledged is
 * there, whole.
 *
 * A few n of each work are tried; BRIDLEWISE_DISK_POINTS=all tries every one, another number that many.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setUp } from '../../server/cli/index.ts'
import { openStore } from '../../server/storage/index.ts'
import {
  chatWork,
  type DiskWork,
  editedText,
  type Furnished,
  findLies,
  firstStart,
  type Ground,
  layOldHome,
  storeWork,
} from '../support/disk-works.ts'
import { type DiskFault, failingDisk, readDiskReport } from '../support/failing-disk.ts'
import { answersWith, callsTool } from '../support/script.ts'
import { need } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'

const points = process.env['BRIDLEWISE_DISK_POINTS'] ?? '2'

/** What a disk may be blamed for. Anything else, an opaque fault above all, is no typed answer. */
const blames: ReadonlySet<string> = new Set([
  ...['storage_full', 'storage_failed', 'data_home_full', 'data_home_unusable', 'key_home_unsafe', 'backup_target_unusable'],
])

let endpoint: ScriptedEndpoint
let furnished: Furnished
beforeAll(async () => {
  endpoint = await startScriptedEndpoint({
    steps: ({ body }) =>
      body?.messages?.at(-1)?.role === 'tool'
        ? answersWith('Done.')
        : callsTool('edit', { edits: [{ path: 'made.txt', new: editedText }] }),
  })
  const server = await ServerProcess.start()
  const person = { code: server.setupCode, username: 'ada', password: 'a long enough passphrase' }
  const client = need(await setUp(server.url, person))
  need(await client.provider.create({ name: 'words', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['m'] }))
  const { token } = need(await client.account.createToken({ name: 'script' }))
  await server.kill('SIGTERM')
  furnished = { base: server.homes.base, secret: token.secret }
})
afterAll(async () => {
  await endpoint.close()
  rmSync(furnished.base, { recursive: true, force: true })
})

const works: readonly (readonly [string, DiskWork])[] = [
  ['a first start, an account and a project', firstStart],
  ['a run that edits', chatWork(() => furnished)],
  ['an upgrade and ledger entries', storeWork('open', layOldHome)],
  ['a change of keys', storeWork('rotate', (ground) => chatWork(() => furnished).prepare(ground))],
  ['a backup', storeWork('backup', (ground) => chatWork(() => furnished).prepare(ground))],
]

describe.each(works)('on a failing disk, %s', (name, work) => {
  let calls = 0
  it('happens on a sound disk', { timeout: 60_000 }, async () => {
    const { report, problems } = await tryOut(work, { at: 0, error: 'EIO', lasts: 'once' })
    expect(problems).toEqual([])
    calls = report.calls
    expect(calls).toBeGreaterThan(20)
    console.info(`${name} changes files ${calls} times`)
  })

  it.each<[DiskFault['error'], DiskFault['lasts']]>([
    ['ENOSPC', 'once'],
    ['ENOSPC', 'for good'],
    ['EIO', 'once'],
    ['EIO', 'for good'],
  ])('says %s (%s) in words, and keeps all that it acknowledged', { timeout: 7_200_000 }, async (error, lasts) => {
    const wrong: string[] = []
    for (const at of choose(calls)) {
      const { report, problems } = await tryOut(work, { at, error, lasts })
      for (const problem of problems) wrong.push(`${at} of ${calls}, ${report.hit}: ${problem}`)
    }
    expect(wrong).toEqual([])
  })
})

/** Every number up to `calls`, or a few of them drawn at random, one from each part of the work. */
function choose(calls: number): number[] {
  const many = points === 'all' ? calls : Math.min(calls, Number(points))
  const width = calls / many
  return Array.from({ length: many }, (_, part) => 1 + Math.floor((part + (points === 'all' ? 0 : Math.random())) * width))
}

async function tryOut(work: DiskWork, fault: DiskFault) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'bridlewise-faults-')))
  const note = `${base}.note`
  const ground: Ground = { base, homes: { data: join(base, 'data'), keys: join(base, 'keys') } }
  try {
    work.prepare(ground)
    const said = await work.run(ground, failingDisk(base, note, fault))
    const report = readDiskReport(note)
    const problems = said.strange.map((line) => `neither done nor refused: ${line}`)
    for (const code of said.refused) if (!blames.has(code)) problems.push(`refused with ${code}`)
    if (fault.at === 0 && said.refused.length > 0) problems.push('refused on a sound disk')
    const opened = await openStore(ground.homes)
    if (!opened.ok) return { report, problems: [...problems, `does not start: ${opened.refusal.message}`] }
    const { valid } = await opened.value.ledger.verify()
    if (!valid) problems.push('the ledger does not verify')
    problems.push(...findLies(ground, opened.value, said).map((lie) => `not so: ${lie}`))
    opened.value.close()
    const database = new Sqlite(join(ground.homes.data, 'bridlewise.db'))
    const integrity = String(database.pragma('integrity_check', { simple: true }))
    database.close()
    if (integrity !== 'ok') problems.push(integrity)
    return { report, problems }
  } finally {
    rmSync(base, { recursive: true, force: true })
    rmSync(note, { force: true })
  }
}
