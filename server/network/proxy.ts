/** A proxy as somebody wrote it down: read, held against the rules, and shown without what opens it. */
import { isIP } from 'node:net'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { bareHost, isForbidden } from './address.ts'

export interface ProxyAddress {
  /** `http://proxy.example:3128`: all that is ever shown of it. */
  readonly place: string
  readonly host: string
  readonly port: number
  /** Whether the way to the proxy itself is encrypted. */
  readonly secure: boolean
  /** What it is opened with, as it was given; sealed where it is stored, in no refusal, no log, no reply. */
  readonly credentials: Credentials | null
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Characters; what is longer is no address. */
const longest = 2_000

/**
 * Read the address of a proxy: `http://host:port`, with `user:password@` before the host if it wants them.
 * Without a scheme it is http, as everywhere.
 *
 * Refuses: proxy_invalid. The refusal repeats nothing of the address.
 */
export function readProxy(text: string, where: string): Result<ProxyAddress> {
  const no = (problem: string) => refuse('proxy_invalid', { where, problem })
  const typed = text.trim()
  if (typed.length > longest) return no(`it is longer than ${longest} characters`)
  // What the URL parser would quietly repair is refused: two readers must not see two hosts.
  if (/[\s\\\p{Cc}]/u.test(typed)) return no('it holds a space, a backslash or a control character')
  const spelled = typed.includes('://') ? typed : `http://${typed}`
  if (!URL.canParse(spelled)) return no('it is not an address such as http://proxy.example:3128')
  const url = new URL(spelled)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return no('only http and https proxies are spoken to')
  if (!/^\/?$/.test(url.pathname) || url.search || url.hash) return no('nothing may follow its port')
  const host = bareHost(url)
  if (isIP(host) && isForbidden(host)) return no('this address is never contacted')
  const credentials = readCredentials(url)
  if (!credentials.ok) return no(credentials.problem)
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const place = `${url.protocol}//${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  return ok({ place, host, port, secure, credentials: credentials.value })
}

/** What opens a proxy in the form of RFC 7617, or no header at all. */
export function authorizationOf({ credentials }: ProxyAddress): Readonly<Record<string, string>> {
  return credentials === null ? {} : { 'proxy-authorization': `Basic ${pairOf(credentials)}` }
}

/** Everything by which what opens a proxy could be recognised: no text with one of these may leave or be shown. */
export function secretsOf({ credentials }: ProxyAddress): readonly string[] {
  return credentials === null || credentials.password === '' ? [] : [credentials.password, pairOf(credentials)]
}

function pairOf({ username, password }: Credentials): string {
  return Buffer.from(`${username}:${password}`).toString('base64')
}

type Found = { readonly ok: true; readonly value: Credentials | null } | { readonly ok: false; readonly problem: string }

function readCredentials({ username, password }: URL): Found {
  if (username === '' && password === '') return { ok: true, value: null }
  try {
    const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) }
    if (credentials.username.includes(':')) return { ok: false, problem: 'a user name holds no colon' }
    if (/\p{Cc}/u.test(credentials.username + credentials.password)) {
      return { ok: false, problem: 'its user name or password holds a control character' }
    }
    return { ok: true, value: credentials }
  } catch {
    return { ok: false, problem: 'its user name or password is not written as in a URL; a % is written %25' }
  }
}
