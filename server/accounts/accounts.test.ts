import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { admitDeveloperPreview, policyDigest } from '@bridlewise/engine'
import { ok } from '@bridlewise/shared/refusals'
import { describe, expect, it } from 'vitest'
import {
  ann,
  codeOf as code,
  dayMs,
  here,
  nothing,
  plainPasswords as plain,
  quietPorts,
  openAccounts as start,
} from '../../tests/support/accounts.ts'
import { need as must } from '../../tests/support/script-client.ts'
import { createAccounts } from './accounts.ts'
import type { Passwords } from './password.ts'

describe('setup', () => {
  it('takes the code from the file or the terminal, in any case, and takes the file away', async () => {
    await using setting = await start()
    const file = join(setting.temp.homes.data, 'setup-code')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const written = readFileSync(file, 'utf8')
    expect(written.trim()).toBe(setting.accounts.setupCode())
    expect(setting.accounts.setupDone()).toBe(false)
    expect(code(await setting.accounts.setup({ code: written.toUpperCase(), ...ann }, here))).toBe('ok')
    expect(existsSync(file)).toBe(false)
    expect([setting.accounts.setupDone(), setting.accounts.setupCode()]).toEqual([true, null])
  })

  it('makes no account for a wrong code or a weak password', async () => {
    await using setting = await start()
    for (const wrong of ['', 'x', 'aaaaa-aaaaa-aaaaa-aaaaa']) {
      expect(code(await setting.accounts.setup({ code: wrong, ...ann }, here))).toBe('setup_code_wrong')
    }
    const real = createAccounts({ store: setting.temp.store, now: () => 1, ...quietPorts })
    expect(code(await real.setup({ code: real.setupCode() ?? '', username: 'Ann', password: 'short' }, here))).toBe(
      'password_too_weak',
    )
    expect(real.setupDone()).toBe(false)
  })

  it('gives one administrator to two that come at once', async () => {
    await using setting = await start()
    const input = { code: setting.accounts.setupCode() ?? '', password: 'correct horse' }
    const both = await Promise.all(['Ann', 'Bob'].map((username) => setting.accounts.setup({ ...input, username }, here)))
    expect(both.map(code).sort()).toEqual(['ok', 'setup_done'])
    expect(setting.temp.rows('SELECT role FROM users')).toEqual([{ role: 'admin' }])
    expect(code(await setting.accounts.setup({ ...input, username: 'Eve' }, here))).toBe('setup_done')
  })

  it('accepts the developer preview once, in the table and in the ledger', async () => {
    await using setting = await start()
    expect(setting.accounts.acceptance()).toBe(null)
    const { user } = await setting.setUp()
    const acceptance = setting.accounts.acceptance()
    expect(acceptance).toEqual({ policyDigest: policyDigest(), acceptedBy: 'Ann', acceptedAt: setting.time })
    expect(acceptance === null ? 'none' : code(admitDeveloperPreview(acceptance))).toBe('ok')
    const beats = setting.temp.store.ledger.list({ userId: user.id }, { limit: 9 }).items
    expect(beats).toMatchObject([{ seq: 1, kind: 'grant', payload: { basis: 'developer_preview', digest: policyDigest() } }])
  })

  it('removes a code that a crash left behind', async () => {
    await using setting = await start()
    const file = join(setting.temp.homes.data, 'setup-code')
    await setting.setUp()
    writeFileSync(file, 'left behind')
    createAccounts({ store: setting.temp.store, now: () => 1, passwords: plain, ...quietPorts })
    expect(existsSync(file)).toBe(false)
  })
})

describe('signing in', () => {
  it('needs a setup first, then the right name in any case and the right password', async () => {
    await using setting = await start()
    expect(code(await setting.accounts.login(ann, here))).toBe('setup_required')
    await setting.setUp()
    for (const username of ['Ann', 'ann', 'ＡＮＮ'])
      expect(code(await setting.accounts.login({ ...ann, username }, here))).toBe('ok')
    const wrong = await setting.accounts.login({ ...ann, password: 'wrong horse' }, here)
    const unknown = await setting.accounts.login({ ...ann, username: 'bob' }, here)
    expect(code(wrong)).toBe('credentials_wrong')
    expect(unknown).toEqual(wrong)
  })

  it('stores a renewed record', async () => {
    await using setting = await start()
    await setting.setUp()
    const passwords: Passwords = { ...plain, verify: async () => ok({ match: true, renewed: 'renewed' }) }
    await createAccounts({ store: setting.temp.store, now: () => 1, passwords, ...quietPorts }).login(ann, here)
    expect(setting.temp.store.users.findByName('ann')?.password).toBe('renewed')
  })

  it('gives new secrets each time and keeps only their hashes', async () => {
    await using setting = await start()
    const first = await setting.setUp()
    const second = must(await setting.accounts.login(ann, here))
    expect(new Set([first.cookie, first.token, second.cookie, second.token]).size).toBe(4)
    expect(Buffer.from(first.cookie, 'base64url')).toHaveLength(32)
    const kept = JSON.stringify(setting.temp.rows('SELECT hex(cookieHash) AS c, hex(tokenHash) AS t FROM sessions'))
    for (const secret of [first.cookie, first.token]) {
      expect(kept.toLowerCase()).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
    }
  })
})

describe('a session', () => {
  it('is proved by its cookie together with its own token, by neither alone and by no mixture', async () => {
    await using setting = await start()
    const one = await setting.setUp()
    const two = must(await setting.accounts.login(ann, here))
    const tried = (shown: object) => code(setting.accounts.authenticate({ ...nothing, ...shown }))
    expect(tried({ cookie: one.cookie, token: one.token })).toBe('ok')
    expect(tried({ cookie: one.cookie })).toBe('token_missing')
    expect(tried({ cookie: one.cookie, token: two.token })).toBe('token_missing')
    expect(tried({ cookie: one.cookie, token: 'x' })).toBe('token_missing')
    expect(tried({ token: one.token })).toBe('session_missing')
    expect(tried({ cookie: 'x', token: one.token })).toBe('session_missing')
    expect(tried({})).toBe('session_missing')
  })

  it('ends at logout, and the others go on', async () => {
    await using setting = await start()
    const one = await setting.setUp()
    const two = must(await setting.accounts.login(ann, here))
    setting.accounts.logout(must(setting.accounts.authenticate({ ...nothing, ...one })))
    expect(code(setting.accounts.authenticate({ ...nothing, ...one }))).toBe('session_missing')
    expect(code(setting.accounts.authenticate({ ...nothing, ...two }))).toBe('ok')
  })

  it.each([
    ['goes on 13 days after its last use', 13, 'ok'],
    ['ends 14 days after its last use', 14, 'session_missing'],
    ['goes on by a clock one hour back', -1 / 24, 'ok'],
    ['ends by a clock ten years back', -3650, 'session_missing'],
    ['ends by a clock ten years ahead', 3650, 'session_missing'],
  ])('%s', async (_, days, expected) => {
    await using setting = await start()
    const session = await setting.setUp()
    setting.time += days * dayMs
    expect(code(setting.accounts.authenticate({ ...nothing, ...session }))).toBe(expected)
  })

  it('that is used every day ends after 30 days all the same', async () => {
    await using setting = await start()
    const session = await setting.setUp()
    const outcomes = Array.from({ length: 30 }, () => {
      setting.time += dayMs
      return code(setting.accounts.authenticate({ ...nothing, ...session }))
    })
    expect(outcomes).toEqual([...Array(29).fill('ok'), 'session_missing'])
  })

  it.each([
    ['ahead', 3650],
    ['back', -3650],
  ])('begun while the clock was ten years %s ends when it is put right, and a new one is as good as ever', async (_, days) => {
    await using setting = await start()
    await setting.setUp()
    setting.time += days * dayMs
    const session = must(await setting.accounts.login(ann, here))
    expect(code(setting.accounts.authenticate({ ...nothing, ...session }))).toBe('ok')
    setting.time -= days * dayMs
    expect(code(setting.accounts.authenticate({ ...nothing, ...session }))).toBe('session_missing')
    const fresh = must(await setting.accounts.login(ann, here))
    expect(setting.accounts.listSessions(setting.callerOf(fresh)).filter(({ current }) => current)).toHaveLength(1)
  })

  it('has the role that the user has now', async () => {
    await using setting = await start()
    const session = await setting.setUp()
    setting.temp.change("UPDATE users SET role = 'member'")
    expect(setting.accounts.authenticate({ ...nothing, ...session })).toMatchObject({ value: { role: 'member' } })
    setting.temp.change('DELETE FROM users')
    expect(code(setting.accounts.authenticate({ ...nothing, ...session }))).toBe('session_missing')
  })
})

describe('an access token', () => {
  async function withToken() {
    const setting = await start()
    const caller = setting.callerOf(await setting.setUp())
    return { setting, caller, token: must(setting.accounts.createToken(caller, { name: 'nightly', blocks: null })) }
  }

  it('proves its owner by itself until it is revoked', async () => {
    const { setting, caller, token } = await withToken()
    await using _ = setting
    expect(token.secret).toMatch(/^bw_[\w-]{43}$/)
    const tried = (bearer: string) => setting.accounts.authenticate({ ...nothing, bearer })
    expect(tried(token.secret)).toMatchObject({ value: { userId: caller.userId, via: { kind: 'token', id: token.id } } })
    for (const wrong of ['', 'bw_', token.secret.slice(0, -1), token.secret.slice(3)])
      expect(code(tried(wrong))).toBe('session_missing')
    expect(code(setting.accounts.revokeToken({ ...caller, userId: 'user_other' }, token.id))).toBe('thing_unknown')
    expect(code(setting.accounts.revokeToken(caller, token.id))).toBe('ok')
    expect(code(setting.accounts.revokeToken(caller, token.id))).toBe('thing_unknown')
    expect(code(tried(token.secret))).toBe('session_missing')
  })

  it('is not helped by a session beside it when it is wrong', async () => {
    await using setting = await start()
    const session = await setting.setUp()
    expect(code(setting.accounts.authenticate({ ...nothing, ...session, bearer: 'bw_wrong' }))).toBe('session_missing')
  })

  it('is listed without its secret, with the time it was last used to the minute', async () => {
    const { setting, caller, token } = await withToken()
    await using _ = setting
    const used = () => {
      setting.accounts.authenticate({ ...nothing, bearer: token.secret })
      return setting.accounts.listTokens(caller).map((one) => one.lastUsedAt)
    }
    expect(JSON.stringify(setting.accounts.listTokens(caller))).not.toContain(token.secret)
    expect(used()).toEqual([setting.time])
    const first = setting.time
    setting.time += 1000
    expect(used()).toEqual([first])
    setting.time += 60_000
    expect(used()).toEqual([setting.time])
  })

  it('outlives a logout', async () => {
    const { setting, token } = await withToken()
    await using _ = setting
    const caller = must(setting.accounts.authenticate({ ...nothing, bearer: token.secret }))
    setting.accounts.logout(caller)
    expect(code(setting.accounts.authenticate({ ...nothing, bearer: token.secret }))).toBe('ok')
  })
})
