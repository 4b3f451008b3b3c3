/** Who made the browser ask: only our own page may. `SameSite` does not know ports, so this room does not rely on it. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { headerOf, isApi, pathOf, type RequestFacts } from './request.ts'

/** The one script that may become a service worker of this origin. */
export const serviceWorkerPath = '/sw.js'

/**
 * Refuse an `Origin` that is not the one asked.
 *
 * Contract: absent passes, since top-level navigations and programs send none; credentials decide
 * then. `null` (sandboxed frames, data: and file: pages) never passes. A web socket always names its
 * origin, so an upgrade without one is refused too.
 * Refuses: origin_not_allowed.
 */
export function checkOrigin(facts: RequestFacts): Refusal | null {
  const origin = headerOf(facts, 'origin')
  if (origin === undefined) return headerOf(facts, 'upgrade') === undefined ? null : makeRefusal('origin_not_allowed')
  return origin === `http://${headerOf(facts, 'host')}` ? null : makeRefusal('origin_not_allowed')
}

/**
 * Refuse what a browser says another page caused (Fetch Metadata).
 *
 * Contract: `same-site` is another port of this machine and refused like `cross-site`. `none` is a
 * person at the address bar: it opens the cockpit's files by navigation, never an operation.
 * Refuses: origin_not_allowed.
 */
export function checkMetadata(facts: RequestFacts): Refusal | null {
  const site = headerOf(facts, 'sec-fetch-site')
  const destination = headerOf(facts, 'sec-fetch-dest')
  const typed = site === 'none' && headerOf(facts, 'sec-fetch-mode') === 'navigate' && facts.method !== 'POST' && !isApi(facts)
  if (site !== undefined && site !== 'same-origin' && !typed) return makeRefusal('origin_not_allowed')
  const worker = destination === 'serviceworker' || headerOf(facts, 'service-worker') !== undefined
  if (worker && pathOf(facts) !== serviceWorkerPath) return makeRefusal('origin_not_allowed')
  return null
}
