import { describe, expect, it } from 'vitest'
import { type AccountsRoom, codeOf, dayMs, here, openAccounts } from '../../tests/support/accounts.ts'
import { need } from '../../tests/support/script-client.ts'
import { addRun, newId } from '../../tests/support/store.ts'
import type { Caller } from './caller.ts'

const idle = async () => undefined

/** Ann, who administers, and Bob, who does not. */
async function annAndBob() {
  const room = await openAccounts()
  const admin = room.callerOf(await room.setUp())
  return { room, admin, bob: await room.join(admin, 'Bob') }
}

const accept = (room: AccountsRoom, code: string, username: string) =>
  room.accounts.acceptInvite({ code, username, password: 'correct horse' }, here)

describe('an invite', () => {
  it('makes one account of its role, once, and is kept as a hash', async () => {
    const { room, admin } = await annAndBob()
    await using _ = room
    const { code } = need(room.accounts.invite(admin, 'admin'))
    expect(code).toMatch(/^invite(-[0-9a-z]{5}){4}$/)
    const kept = JSON.stringify(room.temp.rows('SELECT *, hex(hash) AS h FROM account_codes'))
    expect(kept).not.toContain(code)
    expect(kept.toLowerCase()).not.toContain(Buffer.from(code).toString('hex'))
    const eve = need(await accept(room, ` ${code.toUpperCase()} `, 'Eve'))
    expect(eve.user).toMatchObject({ username: 'Eve', role: 'admin' })
    expect(codeOf(await accept(room, code, 'Dan'))).toBe('code_unusable')
  })

  it('gives one account to two that come with it at once', async () => {
    const { room, admin } = await annAndBob()
    await using _ = room
    const { code } = need(room.accounts.invite(admin, 'member'))
    const both = await Promise.all(['Eve', 'Dan'].map((username) => accept(room, code, username)))
    expect(both.map(codeOf).sort()).toEqual(['code_unusable', 'ok'])
    expect(need(room.accounts.listUsers(admin))).toHaveLength(3)
  })

  it.each(['Bob', 'bob', 'BOB', 'Ｂｏｂ', 'ⓑob'])('stays usable when the name %s is taken', async (username) => {
    const { room, admin } = await annAndBob()
    await using _ = room
    const { code } = need(room.accounts.invite(admin, 'member'))
    expect(codeOf(await accept(room, code, username))).toBe('username_taken')
    expect(codeOf(await accept(room, code, 'Bobby'))).toBe('ok')
  })

  it('gives one of two equal names to two that come with two invites at once', async () => {
    const { room, admin } = await annAndBob()
    await using _ = room
    const codes = ['Eve', 'ＥＶＥ'].map((username) => ({ username, code: need(room.accounts.invite(admin, 'member')).code }))
    const both = await Promise.all(codes.map(({ code, username }) => accept(room, code, username)))
    expect(both.map(codeOf).sort()).toEqual(['ok', 'username_taken'])
  })

  it.each<readonly [string, string, (room: AccountsRoom, admin: Caller, id: string) => void]>([
    ['a moment before it expires', 'ok', (room) => (room.time += 3 * dayMs - 1)],
    ['when it has expired', 'code_unusable', (room) => (room.time += 3 * dayMs)],
    ['by a clock one hour back', 'ok', (room) => (room.time -= dayMs / 24)],
    ['by a clock ten years back', 'code_unusable', (room) => (room.time -= 3650 * dayMs)],
    ['when it was withdrawn', 'code_unusable', (room, admin, id) => need(room.accounts.withdrawInvite(admin, id))],
    [
      'when whoever made it is an administrator no more',
      'code_unusable',
      (room, admin) => room.temp.change("UPDATE users SET role = 'member' WHERE id = ?", admin.userId),
    ],
  ])('%s: %s', async (_, expected, change) => {
    const { room, admin } = await annAndBob()
    await using _room = room
    const { id, code } = need(room.accounts.invite(admin, 'member'))
    change(room, admin, id)
    expect(codeOf(await accept(room, code, 'Eve'))).toBe(expected)
  })

  it('is listed without its code until it is used or has expired', async () => {
    const { room, admin } = await annAndBob()
    await using _ = room
    const [first, second] = [need(room.accounts.invite(admin, 'member')), need(room.accounts.invite(admin, 'admin'))]
    const open = need(room.accounts.listInvites(admin))
    expect(open.map(({ id, madeBy }) => [id, madeBy]).sort()).toEqual([first, second].map(({ id }) => [id, 'Ann']).sort())
    expect(JSON.stringify(open)).not.toContain(first.code)
    need(await accept(room, first.code, 'Eve'))
    expect(need(room.accounts.listInvites(admin)).map(({ id }) => id)).toEqual([second.id])
    room.time += 3 * dayMs
    expect(need(room.accounts.listInvites(admin))).toEqual([])
  })
})

describe('a reset code', () => {
  it('sets another password once, and ends every session and access token', async () => {
    const { room, admin, bob } = await annAndBob()
    await using _ = room
    const token = need(room.accounts.createToken(bob, { name: 'nightly', blocks: null }))
    const { code, username } = need(room.accounts.makeReset(admin, bob.userId))
    expect([username, code]).toEqual(['Bob', expect.stringMatching(/^reset(-[0-9a-z]{5}){4}$/)])
    const { user, ...session } = need(await room.accounts.redeemReset({ code, password: 'another horse' }, here))
    expect(user.id).toBe(bob.userId)
    expect(room.callerOf({ user, ...session }).epoch).toBe(bob.epoch + 1)
    expect(room.accounts.listSessions(bob)).toHaveLength(1)
    expect(codeOf(room.accounts.authenticate({ cookie: null, token: null, bearer: token.secret }))).toBe('session_missing')
    expect(codeOf(await room.accounts.login({ username: 'Bob', password: 'Bob horse' }, here))).toBe('credentials_wrong')
    expect(codeOf(await room.accounts.login({ username: 'Bob', password: 'another horse' }, here))).toBe('ok')
    expect(codeOf(await room.accounts.redeemReset({ code, password: 'a third horse' }, here))).toBe('code_unusable')
  })

  it('is worthless after a day, after a newer one, and as an invite', async () => {
    const { room, admin, bob } = await annAndBob()
    await using _ = room
    const first = need(room.accounts.makeReset(admin, bob.userId))
    const second = need(room.accounts.makeReset(admin, bob.userId))
    const redeem = (code: string) => room.accounts.redeemReset({ code, password: 'another horse' }, here)
    expect(codeOf(await redeem(first.code))).toBe('code_unusable')
    expect(codeOf(await accept(room, second.code, 'Eve'))).toBe('code_unusable')
    expect(codeOf(await redeem(need(room.accounts.invite(admin, 'admin')).code))).toBe('code_unusable')
    room.time += dayMs
    expect(codeOf(await redeem(second.code))).toBe('code_unusable')
    room.time -= 1
    expect(codeOf(await redeem(second.code))).toBe('ok')
  })
})

describe('the writer itself', () => {
  const calls: readonly (readonly [string, (room: AccountsRoom, acting: Caller, userId: string) => unknown])[] = [
    ['lists nobody', ({ accounts }, acting) => accounts.listUsers(acting)],
    ['lists no invites', ({ accounts }, acting) => accounts.listInvites(acting)],
    ['makes no invite', ({ accounts }, acting) => accounts.invite(acting, 'admin')],
    ['withdraws no invite', ({ accounts }, acting) => accounts.withdrawInvite(acting, newId('code'))],
    ['makes no reset code', ({ accounts }, acting, userId) => accounts.makeReset(acting, userId)],
    ['changes no role', ({ accounts }, acting, userId) => accounts.setRole(acting, userId, 'admin')],
    ['removes nobody', ({ accounts }, acting, userId) => accounts.removeUser(acting, userId, idle)],
  ]

  it.each(calls)('%s for a member, nor for one who was an administrator a moment ago', async (_, call) => {
    const { room, admin, bob } = await annAndBob()
    await using _room = room
    const rows = () => room.temp.rows('SELECT id, role, epoch FROM users').concat(room.temp.rows('SELECT id FROM account_codes'))
    const eve = await room.join(admin, 'Eve', 'admin')
    need(room.accounts.setRole(admin, eve.userId, 'member'))
    const before = rows()
    for (const acting of [bob, { ...bob, role: 'admin' as const }, eve])
      expect(await call(room, acting, bob.userId)).toMatchObject({ ok: false, refusal: { code: 'access_denied' } })
    expect(rows()).toEqual(before)
  })

  it.each(calls.slice(2))('%s for an access token, of an administrator too', async (_, call) => {
    const { room, admin, bob } = await annAndBob()
    await using _room = room
    const byToken: Caller = { ...admin, via: { kind: 'token', id: newId('token') } }
    expect(await call(room, byToken, bob.userId)).toMatchObject({ ok: false, refusal: { code: 'session_needed' } })
  })
})

describe('the last administrator', () => {
  it('stays one, until there is another', async () => {
    const { room, admin, bob } = await annAndBob()
    await using _ = room
    expect(codeOf(room.accounts.setRole(admin, admin.userId, 'member'))).toBe('last_admin')
    expect(codeOf(await room.accounts.removeUser(admin, admin.userId, idle))).toBe('last_admin')
    expect(room.callerOf(need(await room.accounts.login({ username: 'Ann', password: 'correct horse' }, here))).role).toBe(
      'admin',
    )
    need(room.accounts.setRole(admin, bob.userId, 'admin'))
    expect(codeOf(room.accounts.setRole(admin, admin.userId, 'member'))).toBe('ok')
    expect(codeOf(room.accounts.setRole({ ...bob, role: 'admin' }, bob.userId, 'member'))).toBe('last_admin')
  })
})

describe('a removed user', () => {
  it('is gone with everything they owned, and the ledger still verifies', async () => {
    const { room, admin, bob } = await annAndBob()
    await using _ = room
    const { store } = room.temp
    const theirs = addRun(store, bob)
    const mine = addRun(store, admin)
    for (const scope of [theirs, mine]) {
      store.ledger.write(scope, {
        kind: 'message',
        source: 'user',
        payload: { messageId: newId('message'), role: 'user', text: 'hello' },
      })
    }
    expect(codeOf(await room.accounts.removeUser(admin, bob.userId, idle))).toBe('user_busy')
    const stopWork = async () => void room.temp.change("UPDATE runs SET status = 'cancelled' WHERE userId = ?", bob.userId)
    expect(codeOf(await room.accounts.removeUser(admin, bob.userId, stopWork))).toBe('ok')
    for (const table of ['chats', 'runs', 'sessions', 'access_tokens'])
      expect(room.temp.rows(`SELECT id FROM ${table} WHERE userId = ?`, bob.userId)).toEqual([])
    expect(await store.ledger.verify()).toMatchObject({ valid: true, erased: 1 })
    expect(store.ledger.list(admin, { chatId: mine.chatId, limit: 9 }).items).toHaveLength(1)
    expect(codeOf(await room.accounts.removeUser(admin, bob.userId, idle))).toBe('thing_unknown')
  })

  it('has no session left while the work is being stopped', async () => {
    const { room, admin, bob } = await annAndBob()
    await using _ = room
    const seen: number[] = []
    const stopWork = async () => void seen.push(room.accounts.listSessions(bob).length)
    expect(codeOf(await room.accounts.removeUser(admin, bob.userId, stopWork))).toBe('ok')
    expect(seen).toEqual([0])
  })
})
