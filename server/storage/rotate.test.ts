import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fill, type Target } from '../../tests/support/sealed-cells.ts'
import { openTempStore, type TempStore } from '../../tests/support/store.ts'
import { createKey, removeKey } from './key-home.ts'
import { renewAtSeals } from './key-list.ts'
import type { Rotation, RotationOptions } from './rotate.ts'
import { sealedColumns } from './sealed-columns.ts'
import type { Store } from './store.ts'

async function rotate(store: Store, options?: RotationOptions): Promise<Rotation> {
  const rotated = await store.rotateKeys(options)
  if (!rotated.ok) throw new Error(rotated.refusal.message)
  return rotated.value
}

const listed = (temp: TempStore) => temp.rows<{ id: string }>('SELECT id FROM keys ORDER BY createdAt').map(({ id }) => id)
const onDisk = (temp: TempStore) => readdirSync(temp.homes.keys).map((name) => name.replace('.key', ''))

function readAll(store: Store, targets: readonly Target[]): readonly string[] {
  return targets.map(({ table, column, read }) => `${table}.${column} ${JSON.stringify(read(store))}`)
}

/** Values in all the columns that are declared as sealed. */
function countSealed(temp: TempStore): number {
  const counts = sealedColumns.map(({ table, column }) =>
    temp.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE ${column} IS NOT NULL`),
  )
  return counts.flat().reduce((sum, { count }) => sum + count, 0)
}

describe('a change of keys', () => {
  it('moves every sealed value, keeps the chain as it was, and takes the old key away', async () => {
    await using temp = await openTempStore()
    const targets = (await fill(temp, 'word')).flat()
    const before = { text: readAll(temp.store, targets), head: temp.store.ledger.head(), old: listed(temp) }
    const rotation = await rotate(temp.store, { rowsAtOnce: 2 })
    expect(rotation).toMatchObject({ unopened: 0, removed: before.old, kept: [] })
    expect(rotation.resealed).toBe(countSealed(temp))
    expect(rotation.resealed).toBeGreaterThanOrEqual(targets.length - 1)
    expect(listed(temp)).toEqual([rotation.active])
    expect(onDisk(temp)).toEqual([rotation.active])
    const store = await temp.reopen()
    expect(readAll(store, targets)).toEqual(before.text)
    expect(store.ledger.head()).toEqual(before.head)
    expect(await store.ledger.verify()).toMatchObject({ valid: true })
  })

  it('seals what is written meanwhile with the new key', async () => {
    await using temp = await openTempStore()
    const [targets = []] = await fill(temp, 'word')
    const owner = temp.rows<{ id: string }>('SELECT id FROM users').map(({ id }) => ({ userId: id }))[0] ?? { userId: '' }
    const rotation = await rotate(temp.store, {
      rowsAtOnce: 1,
      onProgress: () => temp.store.settings.set(owner, 'chosenModel', { providerId: 'p', modelId: 'written meanwhile' }),
    })
    expect(rotation.removed).toHaveLength(1)
    expect(readAll(await temp.reopen(), targets).join()).toContain('written meanwhile')
  })

  it('is finished by the next call when it was cut off, with the key that it had made', async () => {
    await using temp = await openTempStore()
    const targets = (await fill(temp, 'word')).flat()
    const text = readAll(temp.store, targets)
    const cut = temp.store.rotateKeys({
      rowsAtOnce: 3,
      onProgress: () => {
        throw new Error('cut off')
      },
    })
    await expect(cut).rejects.toThrow('cut off')
    const [old = '', fresh = ''] = listed(temp)
    expect(onDisk(temp).sort()).toEqual([old, fresh].sort())
    const store = await temp.reopen()
    expect(readAll(store, targets)).toEqual(text)
    expect(await rotate(store)).toMatchObject({ active: fresh, removed: [old] })
    expect(readAll(await temp.reopen(), targets)).toEqual(text)
  })

  it('is refused on a full disk, and finished once there is room', async () => {
    await using temp = await openTempStore()
    const targets = (await fill(temp, 'word')).flat()
    const text = readAll(temp.store, targets)
    const full = await temp.store.rotateKeys({
      rowsAtOnce: 3,
      onProgress: () => {
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
      },
    })
    expect(full).toMatchObject({ ok: false, refusal: { code: 'storage_full' } })
    expect(readAll(temp.store, targets)).toEqual(text)
    expect((await rotate(temp.store)).kept).toEqual([])
    expect(readAll(await temp.reopen(), targets)).toEqual(text)
  })

  it('keeps the old key while a value that does not open names it, and leaves that value as it is', async () => {
    await using temp = await openTempStore()
    const [targets = []] = await fill(temp, 'word')
    const [old = ''] = listed(temp)
    temp.change('UPDATE chats SET title = substr(title, 1, length(title) - 1) WHERE rowid = 1')
    const [spoilt] = temp.rows<{ title: Buffer }>('SELECT title FROM chats WHERE rowid = 1')
    const rotation = await rotate(temp.store)
    expect(rotation).toMatchObject({ unopened: 1, removed: [], kept: [{ id: old, because: 'a value still names it' }] })
    expect(temp.rows('SELECT title FROM chats WHERE rowid = 1')).toEqual([spoilt])
    const store = await temp.reopen()
    expect(readAll(store, targets.slice(1))).toHaveLength(targets.length - 1)
  })

  it('keeps the old key while a backup in the data home needs it', async () => {
    await using temp = await openTempStore()
    const [old = ''] = listed(temp)
    const backups = join(temp.homes.data, 'backups')
    mkdirSync(backups)
    temp.change(`VACUUM INTO '${join(backups, 'one.db')}'`)
    expect(await rotate(temp.store)).toMatchObject({ kept: [{ id: old, because: 'the backup one.db needs it' }] })
    expect(readdirSync(backups)).toEqual(['one.db'])
    expect(onDisk(temp)).toContain(old)
    await temp.reopen()
  })

  it('leaves the keys of other data homes alone', async () => {
    await using temp = await openTempStore()
    const other = createKey(temp.homes.keys)
    await rotate(temp.store)
    expect(onDisk(temp)).toContain(other.ok ? other.value.id : '')
  })

  it.each(['before', 'after'])('survives a kill just %s the file of the old key is removed', async (when) => {
    await using temp = await openTempStore()
    const [old = ''] = listed(temp)
    const spare = createKey(temp.homes.keys)
    const id = spare.ok ? spare.value.id : ''
    temp.change('INSERT INTO keys (id, createdAt, retiredAt) VALUES (?, 1, 2)', id)
    temp.store.close()
    if (when === 'after') removeKey(temp.homes.keys, id)
    const store = await temp.reopen()
    expect((await rotate(store)).removed.toSorted()).toEqual([id, old].toSorted())
    expect(existsSync(join(temp.homes.keys, `${id}.key`))).toBe(false)
  })

  it('is not stopped by what a kill left of a key that was being made', async () => {
    await using temp = await openTempStore()
    writeFileSync(join(temp.homes.keys, '0011223344556677.aabbccdd.new'), Buffer.alloc(7), { mode: 0o600 })
    expect((await rotate(await temp.reopen())).removed).toHaveLength(1)
  })
})

describe('the count of seals', () => {
  const seals = (temp: TempStore) => temp.rows<{ seals: number }>('SELECT seals FROM keys ORDER BY createdAt DESC')[0]?.seals ?? 0

  it('is never below what was sealed, and exact after an orderly stop', async () => {
    await using temp = await openTempStore()
    await fill(temp, 'word')
    const running = seals(temp)
    temp.store.close()
    expect(seals(temp)).toBeGreaterThan(30)
    expect(seals(temp)).toBeLessThan(running)
    const before = seals(temp)
    await temp.reopen()
    temp.store.close()
    expect(seals(temp)).toBe(before)
    await temp.reopen()
  })

  it('brings a new key at the next start long before the bound of the cipher', async () => {
    await using temp = await openTempStore()
    const targets = (await fill(temp, 'word')).flat()
    const text = readAll(temp.store, targets)
    temp.store.close()
    temp.change('UPDATE keys SET seals = ?', renewAtSeals - 1)
    await temp.reopen()
    expect(listed(temp)).toHaveLength(1)
    temp.store.close()
    temp.change('UPDATE keys SET seals = ?', renewAtSeals)
    await temp.reopen()
    expect(listed(temp)).toHaveLength(2)
    expect(readAll(temp.store, targets)).toEqual(text)
  })
})
