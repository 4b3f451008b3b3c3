/** What a format of secrets is, and the two ways to declare one. */
import type { Rank } from './span.ts'

/** Where a secret was found, in the offsets of the text it was sought in. */
export interface Found {
  readonly start: number
  readonly end: number
}

/**
 * One format.
 *
 * Contract: `seek` looks only at a bounded stretch around `at` and is called only where an anchor stands.
 * A format that needs a name before the value is `guessed`; one that is known by its own looks is `shaped`.
 */
export interface Format {
  readonly kind: string
  readonly rank: Extract<Rank, 'shaped' | 'guessed'>
  /** Lower-case texts, one of which begins every occurrence. `word` anchors count only where a word begins. */
  readonly anchors: readonly string[]
  readonly edge: 'word' | 'any'
  readonly seek: (text: string, at: number) => Found | null
  /** How many attempts one counts for; 1 unless it is said. */
  readonly cost?: number
}

/** Character classes of tokens, without their brackets. */
export const alphanumeric = 'A-Za-z0-9'
export const urlSafe = 'A-Za-z0-9_-'
export const lowerHex = '0-9a-f'

type Guard = (secret: string) => boolean

interface Shape {
  readonly kind: string
  readonly anchors: readonly string[]
  readonly edge?: Format['edge']
  readonly rank?: Format['rank']
  /** With a group `secret` when not all of it is secret. Every quantifier in it is bounded. */
  readonly shape: RegExp
  /** Characters before the anchor that belong to the shape: which, and how many at most. */
  readonly lead?: { readonly chars: RegExp; readonly most: number }
  /** Says no to what has the shape and is not a secret. */
  readonly guard?: Guard
}

/** A format told by a pattern, which is tried at the anchor and nowhere else. */
export function shaped({ kind, anchors, edge = 'word', rank = 'shaped', shape, lead, guard }: Shape): Format {
  const pattern = new RegExp(shape.source, `${shape.flags.replaceAll(/[dy]/g, '')}dy`)
  const seek = (text: string, at: number): Found | null => {
    pattern.lastIndex = lead === undefined ? at : stepBack(text, at, lead)
    const match = pattern.exec(text)
    if (match === null) return null
    const [start, end] = match.indices?.groups?.['secret'] ?? match.indices?.[0] ?? [0, 0]
    return guard === undefined || guard(text.slice(start, end)) ? { start, end } : null
  }
  return { kind, rank, anchors, edge, seek }
}

/** A token: a prefix, then so many characters of one class, with a clean edge on both sides. */
export function token(
  kind: string,
  prefixes: readonly string[],
  body: { readonly of: string; readonly length: number | readonly [number, number]; readonly guard?: Guard },
): Format {
  const [least, most] = typeof body.length === 'number' ? [body.length, body.length] : body.length
  const heads = prefixes.map(escapePattern).join('|')
  const shape = new RegExp(`(?<![A-Za-z0-9])(?:${heads})[${body.of}]{${least},${most}}(?![${body.of}])`)
  const anchors = prefixes.map((prefix) => prefix.toLowerCase())
  return shaped({ kind, anchors, shape, guard: body.guard ?? isVaried })
}

/** A text as a pattern that matches it and nothing else. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/**
 * One pattern for many texts, as a tree by letters: a flat list of them takes twice the time.
 *
 * Contract: of those that begin at one place it takes the longest. At least one text.
 */
export function compileAlternatives(texts: readonly string[]): string {
  const tails = [...new Set(texts)].filter((text) => text !== '')
  const byLetter = Map.groupBy(tails, (text) => text.charAt(0))
  const branches = Array.from(byLetter.values(), (all) => {
    const shared = sharedStart(all)
    return escapePattern(shared) + compileAlternatives(all.map((text) => text.slice(shared.length)))
  })
  const isWhole = tails.length < new Set(texts).size
  if (branches.length === 0) return ''
  return branches.length === 1 && !isWhole ? branches.join('') : `(?:${branches.join('|')})${isWhole ? '?' : ''}`
}

function sharedStart([first = '', ...others]: readonly string[]): string {
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}

/** Not one character over and over, as in a made-up example. */
function isVaried(secret: string): boolean {
  return new Set(secret.slice(-16)).size > 3
}

function stepBack(text: string, at: number, { chars, most }: NonNullable<Shape['lead']>): number {
  let start = at
  while (start > 0 && at - start < most && chars.test(text.charAt(start - 1))) start -= 1
  return start
}
