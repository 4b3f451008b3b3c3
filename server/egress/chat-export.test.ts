import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openRewindRoom } from '../../tests/support/rewind-room.ts'
import { codeOf, mustOk } from '../../tests/support/run-room.ts'
import { writeChat } from './chat-export.ts'

const plain = { secrets: [], rules: [], salt: 'a salt for tests only' }

describe('a chat that is written', () => {
  it('tells what was said and under it what was done, oldest first', async () => {
    await using room = await openRewindRoom({ a: 'a\n' })
    await room.play('Change it.', { edit: 'a', old: 'a', new: 'A' }, { says: 'It is changed.' })
    const { temp, owner, chatId } = room
    const chat = temp.store.chats.get(owner, chatId)
    if (!chat) throw new Error('the chat is gone')
    const { text, replaced, cut } = mustOk(await writeChat(temp.store, owner, { chat, ...plain }))
    expect([replaced, cut]).toEqual([0, false])
    expect(text.replaceAll(/\d{4}-[^\n]+Z/g, 'then')).toBe(
      '# Work\n\n## You, then\n\nChange it.\n\n- Read a\n  done: 1 line\n\n- Edit a\n  done: +1 −1\n\n## Model, then\n\nIt is changed.\n\n',
    )
  })

  it('says what was taken back', async () => {
    await using room = await openRewindRoom({ a: 'a\n' })
    const run = await room.play('Change it.', { edit: 'a', old: 'a', new: 'A' }, { says: 'It is changed.' })
    expect(codeOf(await room.rewind(run))).toBe('ok')
    const { temp, owner, chatId } = room
    const chat = temp.store.chats.get(owner, chatId)
    if (!chat) throw new Error('the chat is gone')
    expect(mustOk(await writeChat(temp.store, owner, { chat, ...plain })).text).toMatch(/## You \(taken back\), /)
  })

  it('holds no stored key, nothing that looks like one, and says how many places were replaced', async () => {
    const key = randomBytes(16).toString('hex')
    const token = `ghp_${randomBytes(27).toString('base64url').replaceAll(/[-_]/g, 'a')}`
    await using room = await openRewindRoom({ a: 'a\n' })
    await room.play(`Use ${key} and ${token}.`, { says: `I used ${key}.` })
    const { temp, owner, chatId } = room
    const chat = temp.store.chats.get(owner, chatId)
    if (!chat) throw new Error('the chat is gone')
    const { text, replaced } = mustOk(await writeChat(temp.store, owner, { chat, ...plain, secrets: [key] }))
    expect(text).not.toContain(key)
    expect(text).not.toContain(token)
    expect(replaced).toBe(3)
  })
})
