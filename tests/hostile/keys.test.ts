/** Keys lost, exchanged, changed half way, looked at by the wrong program. Nothing sealed may be lost or believed wrongly. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Frame } from '@bridlewise/shared/wire'
import { describe, expect, it, vi } from 'vitest'
import { type Homes, openStore, StorageFault, type Store } from '../../server/storage/index.ts'
import { fill, type Target } from '../support/sealed-cells.ts'
import { addRun, addUser, openTempStore, type TempStore } from '../support/store.ts'

const room = join(import.meta.dirname, '../../server/storage/index.ts')

/** Rotates row by row, each row a commit, and prints a line after each; slowly, so that it is not done before it is killed. */
const rotator = `
  import { openStore } from ${JSON.stringify(room)}
  const opened = await openStore(JSON.parse(process.argv[1]))
  if (!opened.ok) throw new Error(opened.refusal.message)
  const onProgress = () => {
    console.log('row')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  }
  await opened.value.rotateKeys({ rowsAtOnce: 1, onProgress })
  opened.value.close()
  console.log('done')`

function readAll(store: Store, targets: readonly Target[]): readonly string[] {
  return targets.map(({ table, column, read }) => `${table}.${column} ${JSON.stringify(read(store))}`)
}

function refusalOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (error instanceof StorageFault) return error.refusal
    throw error
  }
}

async function codeOf(homes: Homes): Promise<string> {
  const opened = await openStore(homes)
  if (!opened.ok) return opened.refusal.code
  opened.value.close()
  return 'opened'
}

const keyNames = (temp: TempStore) => readdirSync(temp.homes.keys).sort()

describe('CRY-09: a change of keys that is killed', () => {
  it('leaves every value readable at every point, and goes on where it was', { timeout: 180_000 }, async () => {
    await using temp = await openTempStore()
    const targets = (await fill(temp, 'word')).flat()
    const scope = addRun(temp.store, addUser(temp, 'cleo'))
    const frames = Array.from({ length: 150 }, (_, at): Frame => ({ number: at + 1, kind: 'text', step: 1, text: `word ${at}` }))
    await temp.store.frames.append(scope, frames)
    const text = readAll(temp.store, targets)
    const [old = ''] = keyNames(temp)
    // Counted by the rows that the child says are done, so the points spread over the walk on any machine.
    for (const rows of [0, 1, 7, 2, 12, 3, 20, 5]) {
      temp.store.close()
      await killAfter(rows, temp.homes)
      const store = await temp.reopen()
      expect(keyNames(temp)).toContain(old)
      expect(readAll(store, targets)).toEqual(text)
      expect(await store.ledger.verify()).toMatchObject({ valid: true })
    }
    expect(temp.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    const rotated = await temp.store.rotateKeys()
    expect(rotated.ok && rotated.value.kept).toEqual([])
    expect(keyNames(temp)).toEqual([rotated.ok ? `${rotated.value.active}.key` : ''])
    const store = await temp.reopen()
    expect(readAll(store, targets)).toEqual(text)
    expect(store.frames.read(scope, scope.runId, { after: 0, limit: 200 })).toEqual(frames)
  })
})

describe('CRY-10: a database beside another key home', () => {
  it('is not opened, and neither home is changed', async () => {
    await using temp = await openTempStore()
    await using other = await openTempStore()
    await fill(temp, 'word')
    temp.store.close()
    const copy = { data: join(other.homes.data, '../copied'), keys: other.homes.keys }
    cpSync(temp.homes.data, copy.data, { recursive: true })
    const before = keyNames(other)
    expect(await codeOf(copy)).toBe('key_missing')
    expect(keyNames(other)).toEqual(before)
    cpSync(temp.homes.keys, copy.keys, { recursive: true })
    expect(await codeOf(copy)).toBe('opened')
    await temp.reopen()
  })
})

describe('CRY-11: a key home that somebody could have touched', () => {
  it.each<[string, (home: string) => void]>([
    ['a pipe in place of the key', (home) => replaceByPipe(join(home, readdirSync(home)[0] ?? ''))],
    ['a directory above its parent that everyone can write to', (home) => chmodSync(join(home, '../..'), 0o777)],
  ])('is refused: %s', async (_, spoil) => {
    await using temp = await openTempStore()
    temp.store.close()
    const homes = { data: temp.homes.data, keys: join(temp.homes.data, '../a/b/keys') }
    mkdirSync(join(homes.keys, '..'), { recursive: true })
    renameSync(temp.homes.keys, homes.keys)
    expect(await codeOf(homes)).toBe('opened')
    spoil(homes.keys)
    expect(await codeOf(homes)).toBe('key_home_unsafe')
  })

  it('is refused when it belongs to another user', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    const uid = process.getuid?.() ?? 0
    const asked = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1)
    expect(['data_home_unusable', 'key_home_unsafe']).toContain(await codeOf(temp.homes))
    asked.mockRestore()
    expect(await codeOf(temp.homes)).toBe('opened')
    await temp.reopen()
  })
})

describe('CRY-08: a value that does not open', () => {
  it('is refused in the same words, whichever way it was spoilt', async () => {
    await using temp = await openTempStore()
    await using other = await openTempStore()
    const [targets = []] = await fill(temp, 'word')
    const [foreign] = other.rows<{ id: string }>('SELECT id FROM keys')
    const title = targets.find(({ table }) => table === 'chats')
    if (title === undefined || foreign === undefined) throw new Error('nothing was sealed')
    const [row] = temp.rows<{ title: Buffer }>(`SELECT title FROM chats WHERE ${title.where}`)
    const value = row?.title ?? Buffer.alloc(0)
    const flipped = Buffer.from(value)
    flipped.writeUInt8(value.readUInt8(30) ^ 1, 30)
    const spoilt = [
      flipped,
      value.subarray(0, -1),
      Buffer.concat([value.subarray(0, 1), Buffer.from(foreign.id, 'hex'), value.subarray(9)]),
    ]
    const refusals = spoilt.map((bytes) => {
      temp.change(`UPDATE chats SET title = ? WHERE ${title.where}`, bytes)
      return refusalOf(() => title.read(temp.store))
    })
    expect(refusals[0]).toMatchObject({ code: 'sealed_value_tampered' })
    expect(refusals).toEqual([refusals[0], refusals[0], refusals[0]])
  })
})

describe('CRY-06: two processes with one key, as after a snapshot', () => {
  it('never draw the same nonce', async () => {
    const sealer = `
      import { createSeal } from ${JSON.stringify(join(room, '../seal.ts'))}
      const id = '0011223344556677'
      const seal = createSeal({ active: id, keys: new Map([[id, Buffer.alloc(32)]]) })
      const cell = { table: 't', column: 'c', row: 'r', parent: '', owner: '' }
      for (let n = 0; n < 5000; n += 1) console.log(seal.seal(cell, '').toString('hex', 9, 21))`
    const nonces = [0, 1].flatMap(() => {
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', sealer], { encoding: 'utf8' })
      return stdout.trim().split('\n')
    })
    expect(nonces).toHaveLength(10_000)
    expect(new Set(nonces).size).toBe(10_000)
  })
})

function replaceByPipe(path: string): void {
  rmSync(path)
  spawnSync('mkfifo', ['-m', '600', path])
}

/** Kills the rotator once it has said so often that a row is done, and a few rows later at the latest. */
async function killAfter(rows: number, homes: Homes): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', rotator, JSON.stringify(homes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit')
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'done') break
    seen += 1
    if (seen >= rows + 1) child.kill('SIGKILL')
  }
  await gone
}
