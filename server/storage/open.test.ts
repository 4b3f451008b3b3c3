import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTempStore } from '../../tests/support/store.ts'
import { openStore } from './open.ts'

async function tryOpen(homes: Parameters<typeof openStore>[0]): Promise<string> {
  const tried = await openStore(homes)
  if (!tried.ok) return tried.refusal.code
  tried.value.close()
  return 'opened'
}

describe('opening the store', () => {
  it('makes files that only their owner can read', async () => {
    await using temp = await openTempStore()
    for (const name of readdirSync(temp.homes.data)) {
      expect([name, statSync(join(temp.homes.data, name)).mode & 0o077]).toEqual([name, 0])
    }
  })

  it('refuses when the key is gone, makes no new one, and opens again once it is back', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    const [name = ''] = readdirSync(temp.homes.keys)
    renameSync(join(temp.homes.keys, name), join(temp.homes.data, name))
    expect(await tryOpen(temp.homes)).toBe('key_missing')
    expect(readdirSync(temp.homes.keys)).toEqual([])
    renameSync(join(temp.homes.data, name), join(temp.homes.keys, name))
    expect(await tryOpen(temp.homes)).toBe('opened')
    await temp.reopen()
  })

  it('gives a second data home a key of its own beside the first', async () => {
    await using temp = await openTempStore()
    await using other = await openTempStore()
    const homes = { data: join(other.homes.data, '..', 'second'), keys: temp.homes.keys }
    expect(await tryOpen(homes)).toBe('opened')
    expect(readdirSync(temp.homes.keys)).toHaveLength(2)
  })

  it('refuses a file that is no database, and holds no lock afterwards', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    const path = join(temp.homes.data, 'bridlewise.db')
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true })
    writeFileSync(path, 'not a database, whatever its name says'.repeat(100))
    expect(await tryOpen(temp.homes)).toBe('data_damaged')
    rmSync(path)
    expect(await tryOpen(temp.homes)).toBe('data_incomplete')
    rmSync(join(temp.homes.data, 'witness.json'))
    await temp.reopen()
  })

  it('names each start differently', async () => {
    await using temp = await openTempStore()
    const first = temp.store.bootId
    expect((await temp.reopen()).bootId).not.toBe(first)
  })
})
