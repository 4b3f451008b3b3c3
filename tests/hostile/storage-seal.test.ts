/** Somebody with SQL in hand changes sealed values of a closed or open database. Nothing of it may be believed. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StorageFault } from '../../server/storage/index.ts'
import { sealedColumns } from '../../server/storage/sealed-columns.ts'
import { fill, type Target, target } from '../support/sealed-cells.ts'
import { addRun, addUser, newId, openTempStore, type TempStore } from '../support/store.ts'

/** The value of a cell, and a way to overwrite it that goes round the trigger on payloads. */
function cellOf(temp: TempStore, { table, column, where }: Target) {
  const rows = temp.rows<{ v: Buffer }>(`SELECT ${column} AS v FROM ${table} WHERE ${where}`)
  if (rows[0] === undefined) throw new Error(`${table} has no row where ${where}`)
  return {
    value: rows[0].v,
    write: (value: unknown) => temp.change(`UPDATE ${table} SET ${column} = ? WHERE ${where}`, value),
  }
}

function outcomeOf(read: () => unknown): string {
  try {
    read()
    return 'read'
  } catch (error) {
    if (error instanceof StorageFault) return error.refusal.code
    throw error
  }
}

const cells = sealedColumns.map(({ table, column }) => `${table}.${column}`)

describe('a sealed value changed by SQL', () => {
  it.each(cells)('of %s is not believed, whatever was done to it', async (cell) => {
    await using temp = await openTempStore()
    const [mine = [], sibling = [], other = []] = await fill(temp, 'word')
    temp.change('DROP TRIGGER beat_payloads_never_change')
    const pick = (targets: readonly Target[]) => targets.find((one) => `${one.table}.${one.column}` === cell)
    const [here, beside, foreign] = [pick(mine), pick(sibling), pick(other)]
    if (here === undefined || beside === undefined || foreign === undefined) throw new Error('nothing was sealed')
    const { value, write } = cellOf(temp, here)
    const elsewhere = cellOf(temp, cell === 'chats.title' ? (mine[1] ?? here) : (mine[0] ?? here)).value
    const flipped = Buffer.from(value)
    flipped.writeUInt8(value.readUInt8(25) ^ 1, 25)
    const changes: [string, unknown][] = [
      ['another owner’s', cellOf(temp, foreign).value],
      ['another column’s', elsewhere],
      ['cut', value.subarray(0, -1)],
      ['flipped', flipped],
      ['of version 0', Buffer.concat([Buffer.from([0]), value.subarray(1)])],
      ['plain text', 'word text'],
    ]
    // One setting an owner: its sibling is itself.
    if (cell !== 'settings.value') changes.push(['another row’s', cellOf(temp, beside).value])
    for (const [what, changed] of changes) {
      write(changed)
      expect([what, outcomeOf(() => here.read(temp.store))]).toEqual([what, 'sealed_value_tampered'])
    }
    write(value)
    expect(outcomeOf(() => here.read(temp.store))).toBe('read')
  })

  it('does not follow its row to another owner, chat or run', async () => {
    await using temp = await openTempStore()
    const ann = addUser(temp, 'ann')
    const bob = addUser(temp, 'bob')
    const [one, two] = [addRun(temp.store, ann), addRun(temp.store, bob)]
    const message = { id: newId('message'), role: 'user', text: 'mine', createdAt: 1 } as const
    temp.store.messages.add(one, { ...message, chatId: one.chatId, runId: one.runId })
    temp.change('UPDATE messages SET userId = ?, chatId = ?', bob.userId, two.chatId)
    expect(outcomeOf(() => temp.store.messages.list(bob, two.chatId, { limit: 1 }))).toBe('sealed_value_tampered')
    temp.change('UPDATE chats SET userId = ? WHERE id = ?', bob.userId, one.chatId)
    expect(outcomeOf(() => temp.store.chats.get(bob, one.chatId))).toBe('sealed_value_tampered')
  })

  it('of another database with a key of its own is not believed', async () => {
    await using temp = await openTempStore()
    await using other = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const { value } = cellOf(
      temp,
      target('chats', 'title', `id = '${scope.chatId}'`, () => null),
    )
    const row = 'INSERT INTO chats (id, userId, title, createdAt, updatedAt) VALUES (?, ?, ?, 1, 1)'
    other.change(row, scope.chatId, scope.userId, value)
    expect(outcomeOf(() => other.store.chats.get(scope, scope.chatId))).toBe('sealed_value_tampered')
    expect(outcomeOf(() => temp.store.chats.get(scope, scope.chatId))).toBe('read')
  })
})

describe('the data home', () => {
  it('holds no byte of what is sealed, in any file, open or closed, after deleting too', async () => {
    const canary = `canary${randomBytes(8).toString('hex')}`
    await using temp = await openTempStore()
    await fill(temp, canary)
    const search = () => readdirSync(temp.homes.data).filter((name) => readFileSync(join(temp.homes.data, name)).includes(canary))
    expect(search()).toEqual([])
    await temp.reopen()
    for (const chat of temp.rows<{ id: string; userId: string }>('SELECT id, userId FROM chats')) {
      expect(temp.store.chats.get(chat, chat.id)?.title).toContain(canary)
      temp.store.chats.remove(chat, chat.id)
    }
    temp.store.close()
    expect(search()).toEqual([])
  })
})
