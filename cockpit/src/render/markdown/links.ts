/** Which targets of a link may be followed. The whole policy is this one predicate. */

export interface LinkTarget {
  readonly href: string
  /** Host and port as the browser will ask for them: a name in another script reads as `xn--…`. */
  readonly host: string
}

/**
 * Read a link's target.
 *
 * Contract: only an absolute http or https address without credentials comes back, in the form the
 * browser would use. Everything else is null and is shown as text: `javascript:`, `data:`, `file:`,
 * addresses of editors and mail programs, relative ones, and what cannot be parsed.
 */
export function readLink(target: string): LinkTarget | null {
  if (!/^https?:\/\//i.test(target) || target.length > longestAddress) return null
  const url = URL.parse(target)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '' || url.host === '') return null
  return { href: url.href, host: url.host }
}

/** Longer ones carry data rather than a place, and no dialog could show them whole. */
const longestAddress = 2000
