/** The command as an operator runs it: a process beside the data home, its words, its exit code. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsRoom, ann, codeOf, here, openAccounts, plainPasswords, quietPorts } from '../../tests/support/accounts.ts'
import { need } from '../../tests/support/script-client.ts'
import { createAccounts } from '../accounts/index.ts'

const cli = join(import.meta.dirname, '../cli.ts')

let room: AccountsRoom
beforeEach(async () => {
  room = await openAccounts()
  const admin = room.callerOf(await room.setUp())
  room.time += 1
  await room.join(admin, 'Bob')
})
afterEach(() => room[Symbol.asyncDispose]())

function run(...words: string[]) {
  const { data, keys } = room.temp.homes
  const env = { PATH: process.env['PATH'], HOME: data, HARNESS_WEB_DATA: data, HARNESS_WEB_KEYS: keys }
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'user', ...words], { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

async function reopen() {
  const store = await room.temp.reopen()
  return { store, accounts: createAccounts({ store, now: Date.now, passwords: plainPasswords, ...quietPorts }) }
}

const details = (store: AccountsRoom['temp']['store']) =>
  store.securityEvents.list({ limit: 9 }).items.map(({ kind, detail }) => [kind, detail?.path])

describe('bridlewise user', { timeout: 90_000 }, () => {
  it('lets the only administrator back in by a code that works once, and records it', async () => {
    room.temp.store.close()
    const reset = run('reset', 'ann')
    expect(reset).toMatchObject({ status: 0, stderr: '' })
    const code = /reset-[0-9a-z-]+/.exec(reset.stdout)?.[0] ?? ''
    const { store, accounts } = await reopen()
    expect(codeOf(await accounts.login(ann, here))).toBe('ok')
    const redeem = () => accounts.redeemReset({ code, password: 'another horse' }, here)
    expect(need(await redeem()).user).toMatchObject({ username: 'Ann', role: 'admin' })
    expect(codeOf(await redeem())).toBe('code_unusable')
    expect(codeOf(await accounts.login(ann, here))).toBe('credentials_wrong')
    expect(details(store)).toEqual([['reset_made', '(terminal) user reset Ann']])
    expect(JSON.stringify(details(store))).not.toContain(code)
  })

  it('lists people, and makes one an administrator', async () => {
    room.temp.store.close()
    expect(run('list').stdout).toBe('admin   Ann\nmember  Bob\n')
    expect(run('admin', 'BOB')).toMatchObject({ status: 0, stdout: 'Bob is an administrator.\n' })
    expect(run('list').stdout).toBe('admin   Ann\nadmin   Bob\n')
    const { store } = await reopen()
    expect(details(store)).toEqual([['role_changed', '(terminal) user admin Bob']])
  })

  it('does nothing beside a running server, and says who can', () => {
    const refused = run('reset', 'ann')
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('[data_home_locked]')
    expect(refused.stderr).toContain('in the cockpit')
    expect(room.temp.rows('SELECT id FROM account_codes')).toEqual([])
  })

  it.each([
    ['an unknown name', ['reset', 'eve'], 1],
    ['no name', ['reset'], 2],
    ['two names', ['admin', 'ann', 'bob'], 2],
    ['a word behind list', ['list', 'all'], 2],
    ['an unknown verb', ['remove', 'bob'], 2],
  ])('changes nothing for %s', async (_, words, status) => {
    room.temp.store.close()
    expect(run(...words)).toMatchObject({ status, stdout: '' })
    const { store } = await reopen()
    expect(store.users.list().map(({ role }) => role)).toEqual(['admin', 'member'])
    expect(details(store)).toEqual([])
  })
})
