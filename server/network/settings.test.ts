import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeAuthority } from '../../tests/support/certificates.ts'
import { addUser, newId, openTempStore, type TempStore } from '../../tests/support/store.ts'
import { createNetworkDesk, type NetworkDesk, readSettings } from './settings.ts'

let temp: TempStore
let desk: NetworkDesk
let renewed = 0
const wish = { address: 'http://proxy.test:3128', username: '', password: '', exempt: '' }
const set = () => readSettings(temp.store).proxy?.https

beforeAll(async () => {
  temp = await openTempStore()
  const dispatcher = { renew: () => void renewed++, facts: () => expect.unreachable() }
  desk = createNetworkDesk({ store: temp.store, dispatcher, now: Date.now })
})
afterAll(() => temp[Symbol.asyncDispose]())
beforeEach(() => {
  renewed = 0
})

describe('what administrators set of the network', () => {
  it('is refused to a member, whatever it is, and taken from an administrator', () => {
    const [admin, member] = [addAdmin('ann'), addUser(temp, 'bob')]
    const bundle = makeAuthority().cert
    const all = (who: typeof admin) => {
      const added = desk.addAuthorities(who, bundle)
      const fingerprint = added.ok ? (added.value[0]?.fingerprint ?? '') : ''
      return [desk.setProxy(who, wish), added, desk.removeAuthority(who, fingerprint), desk.removeProxy(who)]
    }
    expect(all(member).map((done) => done.ok || done.refusal.code)).toEqual(Array(4).fill('access_denied'))
    expect(renewed).toBe(0)
    expect(all(admin).map(({ ok }) => ok)).toEqual(Array(4).fill(true))
    expect(renewed).toBe(4)
    expect(readSettings(temp.store)).toEqual({ proxy: null, authorities: [] })
  })

  it.each<[string, Partial<typeof wish>, string]>([
    [
      'with a name and a password in their fields',
      { username: 'me@home', password: 'p:s/s' },
      'http://me%40home:p%3As%2Fs@proxy.test:3128',
    ],
    ['with both in the address', { address: 'http://me:pw@proxy.test:3128' }, 'http://me:pw@proxy.test:3128'],
    ['without either, though the one before had both', {}, 'http://proxy.test:3128'],
  ])('is a proxy %s', (_how, more, kept) => {
    const admin = addAdmin()
    expect(desk.setProxy(admin, { ...wish, address: 'http://old:secret@proxy.test:3128' }).ok).toBe(true)
    expect(desk.setProxy(admin, { ...wish, ...more }).ok).toBe(true)
    expect(set()).toBe(kept)
  })

  it.each<[string, Partial<typeof wish>]>([
    ['two names', { address: 'http://me:pw@proxy.test', username: 'other' }],
    ['a name with a colon', { username: 'a:b', password: 'c' }],
    ['another protocol', { address: 'socks5://proxy.test' }],
  ])('is left as it was by %s', (_what, more) => {
    const admin = addAdmin()
    desk.setProxy(admin, wish)
    const refused = desk.setProxy(admin, { ...wish, ...more })
    expect(refused.ok || refused.refusal.code).toBe('proxy_invalid')
    expect(set()).toBe(wish.address)
  })

  it('is every authority once, and none of a bundle with a bad one', () => {
    const admin = addAdmin()
    const [one, two] = [makeAuthority().cert, makeAuthority().cert]
    desk.addAuthorities(admin, one)
    expect(desk.addAuthorities(admin, one + two)).toMatchObject({ ok: true, value: [{}] })
    const refused = desk.addAuthorities(admin, makeAuthority().cert + makeAuthority({ to: '250101' }).cert)
    expect(refused.ok || refused.refusal.code).toBe('authorities_invalid')
    expect(readSettings(temp.store).authorities).toHaveLength(2)
    const unknown = desk.removeAuthority(admin, 'f'.repeat(64))
    expect(unknown.ok || unknown.refusal.code).toBe('thing_unknown')
  })
})

function addAdmin(name: string = newId('user')) {
  const admin = addUser(temp, name)
  temp.change("UPDATE users SET role = 'admin' WHERE id = ?", admin.userId)
  return admin
}
