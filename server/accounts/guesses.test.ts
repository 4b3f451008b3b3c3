import { describe, expect, it } from 'vitest'
import { ann, codeOf, dayMs, here, openAccounts, plainPasswords, quietPorts } from '../../tests/support/accounts.ts'
import { need } from '../../tests/support/script-client.ts'
import { type AccountsPorts, createAccounts } from './accounts.ts'
import type { Whence } from './caller.ts'
import { Delays, delayAfter, delayLimits } from './delays.ts'
import type { Slowdown } from './guesses.ts'

const wrong = { ...ann, password: 'wrong horse' }

/** Ann's account, and a clock of its own for the waits. */
async function setUp(more: Partial<AccountsPorts> = {}) {
  const room = await openAccounts()
  await room.setUp()
  const slowdowns: Slowdown[] = []
  const at = { elapsed: 0, now: room.time }
  const start = () =>
    createAccounts({
      store: room.temp.store,
      now: () => at.now,
      passwords: plainPasswords,
      ...quietPorts,
      elapsed: () => at.elapsed,
      noteSlowdown: (slowdown) => slowdowns.push(slowdown),
      ...more,
    })
  const accounts = start()
  const fail = async (times: number, input = wrong, whence: Whence = here) => {
    const codes = []
    for (let tries = 0; tries < times; tries += 1) codes.push(codeOf(await accounts.login(input, whence)))
    return codes
  }
  return { room, accounts, at, start, fail, slowdowns, [Symbol.asyncDispose]: () => room[Symbol.asyncDispose]() }
}

describe('wrong passwords for a name', () => {
  it('cost a wait from the fifth on, longer each time up to five minutes, also for the right one', async () => {
    await using one = await setUp()
    expect(await one.fail(6)).toEqual([...Array(5).fill('credentials_wrong'), 'password_delayed'])
    const waits = []
    for (let tries = 0; tries < 9; tries += 1) {
      const refused = await one.accounts.login(ann, here)
      const seconds = refused.ok ? 0 : Number(refused.refusal.details?.['seconds'])
      waits.push(seconds)
      one.at.elapsed += seconds * 1000
      await one.fail(1)
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300])
    one.at.elapsed += delayLimits.mostMs
    expect(codeOf(await one.accounts.login(ann, here))).toBe('ok')
  })

  it('are told of step by step, whether anybody has the name or not', async () => {
    await using one = await setUp()
    await one.fail(5)
    await one.fail(5, { username: 'nobody', password: 'x' })
    expect(one.slowdowns).toEqual([
      { userId: expect.stringMatching(/^user_/), address: 'loopback', seconds: 2 },
      { userId: null, address: 'loopback', seconds: 2 },
    ])
  })

  it('count for one name in every case and Unicode spelling, and not for another name', async () => {
    await using one = await setUp()
    for (const username of ['Ann', 'ann', 'ＡＮＮ', 'aNN', 'ANN']) await one.fail(1, { ...wrong, username })
    expect(await one.fail(1, { ...wrong, username: 'ａnn' })).toEqual(['password_delayed'])
    expect(await one.fail(1, { ...wrong, username: 'Bob' })).toEqual(['credentials_wrong'])
  })

  it('answer the same for a name that nobody has, before, while and after it waits', async () => {
    await using one = await setUp()
    const answers = async (username: string) => {
      const seen = []
      for (let tries = 0; tries < 8; tries += 1) {
        seen.push(await one.accounts.login({ username, password: 'wrong horse' }, here))
        if (tries === 6) one.at.elapsed += 2_000
      }
      return seen
    }
    const known = await answers('Ann')
    expect(await answers('nobody')).toEqual(known)
  })

  it('are not undone by a right one, which counts for nothing itself', async () => {
    await using one = await setUp()
    await one.fail(4)
    for (let tries = 0; tries < 9; tries += 1) expect(codeOf(await one.accounts.login(ann, here))).toBe('ok')
    expect(await one.fail(2)).toEqual(['credentials_wrong', 'password_delayed'])
    one.at.elapsed += 2_000
    expect(codeOf(await one.accounts.login(ann, here))).toBe('ok')
    expect(await one.fail(2)).toEqual(['credentials_wrong', 'password_delayed'])
  })

  it('are forgotten after a quiet hour', async () => {
    await using one = await setUp()
    await one.fail(5)
    one.at.elapsed += 2_000 + delayLimits.forgetMs
    expect(await one.fail(6)).toEqual([...Array(5).fill('credentials_wrong'), 'password_delayed'])
  })

  it('let no more than five of many at once be compared', async () => {
    await using one = await setUp()
    const crowd = await Promise.all(Array.from({ length: 50 }, () => one.accounts.login(wrong, here)))
    expect(crowd.filter((result) => codeOf(result) === 'credentials_wrong')).toHaveLength(delayLimits.free)
  })

  it.each([
    ['an hour back', -dayMs / 24],
    ['a day ahead', dayMs],
    ['ten years ahead', 3650 * dayMs],
  ])('wait as long as before when the wall clock goes %s, with and without a restart', async (_, jump) => {
    await using one = await setUp()
    await one.fail(5)
    one.at.now += jump
    expect(codeOf(await one.accounts.login(ann, here))).toBe('password_delayed')
    one.at.elapsed = 77
    const restarted = one.start()
    expect(await restarted.login(ann, here)).toMatchObject({ refusal: { details: { seconds: 2 } } })
    one.at.elapsed += 2_000
    expect(codeOf(await restarted.login(ann, here))).toBe('ok')
  })

  it('that were kept and changed from outside are forgotten, and nothing stops the start', async () => {
    await using one = await setUp()
    await one.fail(5)
    one.room.temp.change("UPDATE installation SET value = x'00'")
    expect(codeOf(await one.start().login(ann, here))).toBe('ok')
  })
})

describe('a browser that signed in before', () => {
  it('is not slowed down by strangers, and strangers are not let through by it', async () => {
    await using one = await setUp()
    const { device } = need(await one.accounts.login(ann, here))
    const known = { ...here, device }
    await one.fail(5)
    expect(codeOf(await one.accounts.login(ann, here))).toBe('password_delayed')
    expect(codeOf(await one.accounts.login(ann, known))).toBe('ok')
    expect(await one.fail(6, wrong, known)).toEqual([...Array(5).fill('credentials_wrong'), 'password_delayed'])
  })

  it('has a share of its own beside that of its address', async () => {
    const taken: string[] = []
    await using one = await setUp({ takeAttempt: (whose) => taken.push(whose) * 0 })
    const { device, user } = need(await one.accounts.login(ann, here))
    await one.accounts.login(ann, { ...here, device })
    await one.accounts.acceptInvite({ code: 'wrong', ...ann }, { ...here, device })
    expect(taken).toEqual(['loopback', user.id, user.id])
  })

  it.each<[string, (device: string, other: string) => string | null]>([
    ['of nobody', () => null],
    ['that was made up', (device) => `${device.split('.')[0]}.${'A'.repeat(43)}`],
    ['without a signature', (device) => `${device.split('.')[0]}.`],
    ['with more behind it', (device) => `${device}.x`],
    ['of somebody else', (_, other) => other],
  ])('is none by a mark %s', async (_, change) => {
    await using one = await setUp()
    const { device, ...session } = need(await one.accounts.login(ann, here))
    const caller = need(one.accounts.authenticate({ ...session, bearer: null }))
    const { code } = need(one.accounts.invite(caller, 'member'))
    const bob = need(await one.accounts.acceptInvite({ code, username: 'Bob', password: 'Bob horse' }, here))
    await one.fail(5)
    expect(codeOf(await one.accounts.login(ann, { ...here, device: change(device, bob.device) }))).toBe('password_delayed')
    expect(codeOf(await one.accounts.login(ann, { ...here, device }))).toBe('ok')
  })

  it('is a stranger after the password was changed, and known after a restart', async () => {
    await using one = await setUp()
    const { device, ...session } = need(await one.accounts.login(ann, here))
    await one.fail(5)
    const restarted = one.start()
    expect(codeOf(await restarted.login(ann, { ...here, device }))).toBe('ok')
    const caller = need(restarted.authenticate({ ...session, bearer: null }))
    need(await restarted.changePassword(caller, { current: ann.password, next: 'another horse' }))
    expect(codeOf(await restarted.login({ ...ann, password: 'another horse' }, { ...here, device }))).toBe('password_delayed')
  })
})

describe('the current password', () => {
  it('is guessed no faster by a stolen session, which slows no other session down', async () => {
    await using one = await setUp()
    const enter = async () => {
      const session = need(await one.accounts.login(ann, here))
      return need(one.accounts.authenticate({ ...session, bearer: null }))
    }
    const [stolen, own] = [await enter(), await enter()]
    const change = (caller: typeof own, current: string) =>
      one.accounts.changePassword(caller, { current, next: 'another horse' })
    for (let tries = 0; tries < 5; tries += 1) expect(codeOf(await change(stolen, 'wrong'))).toBe('password_wrong')
    expect(codeOf(await change(stolen, ann.password))).toBe('password_delayed')
    expect(codeOf(await change(own, ann.password))).toBe('ok')
  })
})

describe('a code', () => {
  it('that is wrong costs a share of its address, and one that is right never waits', async () => {
    await using one = await setUp({ takeAttempt: () => 6 })
    const session = need(await one.start().redeemReset({ code: await resetCode(one), password: 'another horse' }, here))
    expect(session.user.username).toBe('Ann')
    expect(codeOf(await one.accounts.redeemReset({ code: 'reset-wrong', password: 'another horse' }, here))).toBe('rate_limited')
    expect(codeOf(await one.accounts.acceptInvite({ code: 'invite-wrong', ...ann }, here))).toBe('rate_limited')
  })

  async function resetCode({ room }: Awaited<ReturnType<typeof setUp>>): Promise<string> {
    const caller = room.callerOf(need(await room.accounts.login(ann, here)))
    return need(room.accounts.makeReset(caller, caller.userId)).code
  }
})

describe('what is remembered', () => {
  it('is bounded under a flood of invented names, and keeps the one that is attacked', () => {
    const delays = new Delays(() => 0, [])
    for (let tries = 0; tries < 8; tries += 1) delays.count('attacked')
    for (let name = 0; name < 100_000; name += 1) {
      delays.count(`invented ${name}`)
      if (name % 10_000 === 0) expect(delays.size).toBeLessThanOrEqual(delayLimits.remembered)
    }
    expect(delays.size).toBeLessThanOrEqual(delayLimits.remembered)
    expect(delays.waitOf('attacked')).toBe(delayAfter(8))
  })

  it('outlives a restart in a bounded number', () => {
    const delays = new Delays(() => 0, [])
    for (let name = 0; name < 2 * delayLimits.kept; name += 1) {
      for (let tries = 0; tries < delayLimits.free + (name % 3); tries += 1) delays.count(`name ${name}`)
    }
    const kept = delays.kept()
    expect(kept).toHaveLength(delayLimits.kept)
    expect(Math.min(...kept.map(([, count]) => count))).toBeGreaterThan(delayLimits.free)
  })
})
