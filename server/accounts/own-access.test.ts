import { describe, expect, it } from 'vitest'
import { ann, codeOf, dayMs, here, nothing, openAccounts, plainPasswords, quietPorts } from '../../tests/support/accounts.ts'
import { need } from '../../tests/support/script-client.ts'
import { createAccounts } from './accounts.ts'
import type { Caller } from './caller.ts'

const change = { current: ann.password, next: 'another horse' }

describe('a change of the password', () => {
  it('needs the one of now, ends every other session and leaves access tokens', async () => {
    await using room = await openAccounts()
    const mine = await room.setUp()
    const other = need(await room.accounts.login(ann, here))
    const caller = room.callerOf(mine)
    const token = need(room.accounts.createToken(caller, { name: 'nightly', blocks: null }))
    expect(codeOf(await room.accounts.changePassword(caller, { ...change, current: 'wrong' }))).toBe('password_wrong')
    expect(codeOf(room.accounts.authenticate({ ...nothing, ...other }))).toBe('ok')
    expect(codeOf(await room.accounts.changePassword(caller, change))).toBe('ok')
    expect(codeOf(room.accounts.authenticate({ ...nothing, ...other }))).toBe('session_missing')
    expect(room.callerOf(mine).epoch).toBe(caller.epoch + 1)
    expect(codeOf(room.accounts.authenticate({ ...nothing, bearer: token.secret }))).toBe('ok')
    expect(codeOf(await room.accounts.login(ann, here))).toBe('credentials_wrong')
  })

  it('is not for access tokens', async () => {
    await using room = await openAccounts()
    const byToken: Caller = { ...room.callerOf(await room.setUp()), via: { kind: 'token', id: 'any' } }
    expect(codeOf(await room.accounts.changePassword(byToken, change))).toBe('session_needed')
  })

  it('wins over a login and over another change that began before it', async () => {
    await using room = await openAccounts()
    const caller = room.callerOf(await room.setUp())
    const slow = Promise.withResolvers<void>()
    const verify: typeof plainPasswords.verify = async (password, record) => {
      await slow.promise
      return plainPasswords.verify(password, record)
    }
    const late = createAccounts({
      store: room.temp.store,
      now: () => room.time,
      passwords: { ...plainPasswords, verify },
      ...quietPorts,
    })
    const pending = [late.login(ann, here), late.changePassword(caller, { ...change, next: 'a third horse' })]
    need(await room.accounts.changePassword(caller, change))
    slow.resolve()
    expect((await Promise.all(pending)).map(codeOf)).toEqual(['credentials_wrong', 'session_missing'])
    expect(codeOf(await room.accounts.login({ ...ann, password: change.next }, here))).toBe('ok')
  })
})

describe('own sessions', () => {
  it('are listed with the time of last use to the minute, and the one that asks is marked', async () => {
    await using room = await openAccounts()
    const first = await room.setUp()
    room.time += 1000
    const second = need(await room.accounts.login(ann, here))
    const times = () => room.accounts.listSessions(room.callerOf(first)).map(({ current, lastUsedAt }) => [current, lastUsedAt])
    const at = room.time
    expect(times()).toEqual([
      [false, at],
      [true, at - 1000],
    ])
    room.time += 60_000
    room.callerOf(second)
    expect(times()).toEqual([
      [false, at + 60_000],
      [true, at + 60_000],
    ])
    const caller = room.callerOf(second)
    room.time += 30 * dayMs
    expect(room.accounts.listSessions(caller)).toEqual([])
  })

  it('are ended one by one or all but this one, and never those of somebody else', async () => {
    await using room = await openAccounts()
    const mine = room.callerOf(await room.setUp())
    const bob = await room.join(mine, 'Bob')
    const others = [need(await room.accounts.login(ann, here)), need(await room.accounts.login(ann, here))].map(room.callerOf)
    expect(codeOf(room.accounts.revokeSession(bob, mine.via.id))).toBe('thing_unknown')
    expect(codeOf(room.accounts.revokeSession(mine, others[0]?.via.id ?? ''))).toBe('ok')
    expect(codeOf(room.accounts.revokeSession(mine, others[0]?.via.id ?? ''))).toBe('thing_unknown')
    expect(room.accounts.revokeOtherSessions(mine)).toBe(1)
    expect(room.accounts.listSessions(mine).map(({ id }) => id)).toEqual([mine.via.id])
    expect(room.accounts.listSessions(bob)).toHaveLength(1)
  })
})

describe('an access token', () => {
  it('says which blocks it is for, and none makes another', async () => {
    await using room = await openAccounts()
    const caller = room.callerOf(await room.setUp())
    const token = need(room.accounts.createToken(caller, { name: 'narrow', blocks: ['run', 'account'] }))
    const byToken = need(room.accounts.authenticate({ ...nothing, bearer: token.secret }))
    expect(byToken.blocks).toEqual(['run', 'account'])
    expect(caller.blocks).toBe(null)
    expect(codeOf(room.accounts.createToken(byToken, { name: 'wide', blocks: null }))).toBe('session_needed')
    expect(room.accounts.listTokens(caller).map(({ blocks }) => blocks)).toEqual([['run', 'account']])
  })
})
