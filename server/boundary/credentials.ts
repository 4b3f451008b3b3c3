/** What a request presents to prove who calls. The session cookie alone proves nothing: cookies ignore ports. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Credentials } from '../accounts/index.ts'
import { headerOf, type RequestFacts } from './request.ts'

export const sessionCookieName = 'bridlewise_session'

export const tokenHeader = 'x-bridlewise-token'

/** What a browser that signed in before shows when it signs in again. It proves nobody. */
const deviceHeader = 'x-bridlewise-device'

/** Secrets of this server look like this; anything else is not one and is not looked up. */
const secret = /^[A-Za-z0-9_.-]{16,256}$/

/**
 * Read what was presented, without judging whether it is true.
 *
 * Contract: an access token stands in `Authorization`; a session is the cookie together with the
 * token header. Neither is ever read from a query.
 * Refuses: session_missing when there is neither, token_missing for a cookie alone,
 * request_malformed for a repeated session cookie.
 */
export function readCredentials(facts: RequestFacts): Result<Credentials> {
  const authorization = headerOf(facts, 'authorization')
  if (authorization !== undefined) {
    const bearer = /^bearer (\S+)$/i.exec(authorization)?.[1] ?? ''
    return secret.test(bearer) ? ok({ cookie: null, token: null, bearer }) : refuse('session_missing')
  }
  const cookies = readCookie(headerOf(facts, 'cookie') ?? '', sessionCookieName)
  if (cookies.length > 1) {
    return refuse('request_malformed', {
      problem: `the cookie ${sessionCookieName} stands there twice; clear this site's cookies`,
    })
  }
  const [cookie] = cookies
  if (cookie === undefined || !secret.test(cookie)) return refuse('session_missing')
  const token = headerOf(facts, tokenHeader)
  if (token === undefined || !secret.test(token)) return refuse('token_missing')
  return ok({ cookie, token, bearer: null })
}

/** The mark of a browser, as shown; null for none, and for what cannot be one. */
export function readDevice(facts: RequestFacts): string | null {
  const device = headerOf(facts, deviceHeader)
  return device !== undefined && secret.test(device) ? device : null
}

/** Every value under one cookie name. A list, because the one that a page on another port planted comes along. */
export function readCookie(header: string, name: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}
