/** What administrators set of the network: a proxy, and authorities beside those of the runtime. Sealed where it is kept. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Owner, Store, StoredNetwork } from '../storage/index.ts'
import { type Authority, authorityLimits, readAuthorities } from './authorities.ts'
import type { Dispatcher, NetworkSettings } from './dispatcher.ts'
import { readProxy } from './proxy.ts'

export interface ProxyWish {
  /** As a person writes it: `http://host:port`. */
  readonly address: string
  /** Both empty for a proxy that is open to all. */
  readonly username: string
  readonly password: string
  readonly exempt: string
}

/** Contract: each checks that who acts is an administrator, writes, and has the dispatcher take it over. */
export interface NetworkDesk {
  /** Refuses: access_denied, proxy_invalid. */
  setProxy(acting: Owner, wish: ProxyWish): Result<'set'>
  removeProxy(acting: Owner): Result<'removed'>
  /** All of a bundle or nothing. Refuses: access_denied, authorities_invalid. */
  addAuthorities(acting: Owner, bundle: string): Result<readonly Authority[]>
  /** Refuses: access_denied, thing_unknown. */
  removeAuthority(acting: Owner, fingerprint: string): Result<'removed'>
  look(): ReturnType<Dispatcher['facts']>
}

export interface NetworkDeskParts {
  readonly store: Pick<Store, 'installation' | 'users' | 'transaction'>
  readonly dispatcher: Pick<Dispatcher, 'renew' | 'facts'>
  readonly now: () => number
}

const nothing: StoredNetwork = { proxy: null, authorities: [] }

/** As the dispatcher takes them. */
export function readSettings({ installation }: Pick<Store, 'installation'>): NetworkSettings {
  const { proxy, authorities } = installation.get('network') ?? nothing
  return { authorities, proxy: proxy && { http: proxy.address, https: proxy.address, exempt: proxy.exempt } }
}

export function createNetworkDesk({ store, dispatcher, now }: NetworkDeskParts): NetworkDesk {
  function change<Done>(
    acting: Owner,
    edit: (before: StoredNetwork) => Result<{ after: StoredNetwork; done: Done }>,
  ): Result<Done> {
    const changed = store.transaction(() => {
      if (store.users.get(acting.userId)?.role !== 'admin') return refuse('access_denied')
      const edited = edit(store.installation.get('network') ?? nothing)
      if (edited.ok) store.installation.set('network', edited.value.after)
      return edited
    })
    if (!changed.ok) return changed
    dispatcher.renew()
    return ok(changed.value.done)
  }

  return {
    setProxy: (acting, wish) =>
      change(acting, (before) => {
        const address = spell(wish)
        return address.ok
          ? ok({ after: { ...before, proxy: { address: address.value, exempt: wish.exempt } }, done: 'set' })
          : address
      }),
    removeProxy: (acting) => change(acting, (before) => ok({ after: { ...before, proxy: null }, done: 'removed' })),
    addAuthorities: (acting, bundle) =>
      change(acting, (before) => {
        const read = readAuthorities(bundle, now())
        if (!read.ok) return read
        const known = new Set(before.authorities.map(({ fingerprint }) => fingerprint))
        const fresh = read.value.filter(({ fingerprint }) => !known.has(fingerprint))
        const authorities = [...before.authorities, ...fresh]
        const most = authorityLimits.certificates
        if (authorities.length > most)
          return refuse('authorities_invalid', { problem: `with them there would be more than ${most}` })
        return ok({ after: { ...before, authorities }, done: fresh })
      }),
    removeAuthority: (acting, fingerprint) =>
      change(acting, (before) => {
        const authorities = before.authorities.filter((one) => one.fingerprint !== fingerprint)
        if (authorities.length === before.authorities.length) return refuse('thing_unknown', { kind: 'authority' })
        return ok({ after: { ...before, authorities }, done: 'removed' })
      }),
    look: () => dispatcher.facts(),
  }
}

/** One address with everything in it. A name and a password go into their fields, or stand in the address, not both. */
function spell({ address, username, password }: ProxyWish): Result<string> {
  const where = 'This proxy'
  const read = readProxy(address, where)
  if (!read.ok) return read
  const { place, credentials } = read.value
  if (username === '' && password === '') return ok(credentials === null ? place : address.trim())
  if (credentials !== null)
    return refuse('proxy_invalid', { where, problem: 'its address holds a user name and the fields hold another' })
  const [scheme = '', rest = ''] = place.split('://')
  const whole = `${scheme}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${rest}`
  const again = readProxy(whole, where)
  return again.ok ? ok(whole) : again
}
