/** The request as it stood on the wire: what the decisions of this room look at, and nothing else. */
import type { IncomingMessage } from 'node:http'

export interface RequestFacts {
  /** `1.1` for everything that a browser sends here. */
  readonly version: string
  readonly method: string
  /** The request target, unparsed. */
  readonly target: string
  /** Every value of each header, in order, under its lower-case name. Node's own view drops duplicates. */
  readonly headers: ReadonlyMap<string, readonly string[]>
}

export function readFacts(raw: Pick<IncomingMessage, 'httpVersion' | 'method' | 'url' | 'rawHeaders'>): RequestFacts {
  const headers = new Map<string, string[]>()
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = String(raw.rawHeaders[i]).toLowerCase()
    const values = headers.get(name)
    if (values) values.push(String(raw.rawHeaders[i + 1]))
    else headers.set(name, [String(raw.rawHeaders[i + 1])])
  }
  return { version: raw.httpVersion, method: raw.method ?? '', target: raw.url ?? '', headers }
}

/** The first value of a header. Of the headers that decide something, `checkSingular` has let only one through. */
export function headerOf(facts: RequestFacts, name: string): string | undefined {
  return facts.headers.get(name)?.[0]
}

/** The path without its query. */
export function pathOf(facts: Pick<RequestFacts, 'target'>): string {
  const query = facts.target.indexOf('?')
  return query === -1 ? facts.target : facts.target.slice(0, query)
}

/** Characters of a path that a log or a record keeps. */
export const recordedPathLength = 200

/**
 * The path as a log or a record may hold it: one line of plain characters, no query.
 *
 * Contract: of a target that is no path nothing is kept. An absolute one may hold a password before its host.
 */
export function recordedPath(target: string): string {
  if (target === '') return ''
  if (!target.startsWith('/')) return '(not a path)'
  return pathOf({ target })
    .slice(0, recordedPathLength)
    .replaceAll(/[^\x20-\x7e]/g, '?')
}

/** Calls of operations, as against the cockpit's own files. */
export function isApi(facts: Pick<RequestFacts, 'target'>): boolean {
  const path = pathOf(facts)
  return path === '/api' || path.startsWith('/api/')
}
