/**
 * Rules that a person adds: a text as it is, or a pattern in a small language that cannot be slow.
 *
 * A pattern is a fixed beginning, then characters and classes, each as often as it says: `ACME-[A-Z0-9]{8}`,
 * `invoice \d{4,6}`. There are no groups, no alternatives and no open repetition, so that what it may cost is
 * known when it is read, and the fixed beginning is looked for like that of any other format.
 */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { escapePattern, type Format, shaped } from './format.ts'
import { compileLiterals } from './literals.ts'
import type { Reading } from './shadow.ts'
import type { Span } from './span.ts'

export interface OwnRule {
  readonly kind: 'text' | 'pattern'
  readonly value: string
}

export const ownRuleLimits = {
  /** Of a text and a pattern alike, in UTF-16 units. */
  longest: 200,
  /** A shorter text would be found all over others. */
  shortestText: 4,
  /** How many fixed characters a pattern begins with, at least. */
  beginning: 3,
  /** How often one character or class may repeat. */
  repeats: 256,
  /** How many characters a pattern can take, at most. */
  reach: 512,
  /** In how many ways the repetitions of one pattern can be shared out. */
  ways: 256,
}

/**
 * Accept a rule as typed.
 *
 * Refuses: redaction_invalid, with where it fails and what to write instead.
 */
export function checkOwnRule({ kind, value }: OwnRule): Result<void> {
  if (value.length > ownRuleLimits.longest) return no(`it has more than ${ownRuleLimits.longest} characters`)
  if (kind === 'pattern') {
    const read = readPattern(value)
    return read.ok ? ok(undefined) : read
  }
  if (value.trim() !== value) return no('a text must not begin or end with a space')
  return value.length < ownRuleLimits.shortestText
    ? no(`a text has at least ${ownRuleLimits.shortestText} characters`)
    : ok(undefined)
}

/** The texts among rules, found in every usual encoding. */
export function compileOwnTexts(rules: readonly OwnRule[]): (reading: Reading) => Span[] {
  const texts = rules.filter(({ kind }) => kind === 'text').map(({ value }) => value)
  return compileLiterals(texts, { kind: 'own_text', minLength: ownRuleLimits.shortestText, isLeft: () => false })
}

/** The patterns among rules, as formats. Contract: throws for one that `checkOwnRule` refuses. */
export function compileOwnPatterns(rules: readonly OwnRule[]): Format[] {
  return rules.flatMap(({ kind, value }) => {
    if (kind !== 'pattern') return []
    const read = readPattern(value)
    if (!read.ok) throw new RangeError(read.refusal.message)
    const { beginning, source, effort } = read.value
    const format = shaped({ kind: 'own_pattern', anchors: [beginning.toLowerCase()], edge: 'any', shape: new RegExp(source) })
    return { ...format, cost: Math.ceil(effort / effortOfAttempt) }
  })
}

interface ReadPattern {
  readonly beginning: string
  readonly source: string
  /** The most characters that are looked at before it is clear that it does not stand at a place. */
  readonly effort: number
}

/** What an attempt at a format of ours looks at, about. */
const effortOfAttempt = 1024

/** One character or class, and how often it may stand there. */
const item =
  /(?:\\(?<escaped>.)|\[(?<members>(?:\\.|[^\]\\]){1,64})\]|(?<plain>[^\\[\]{}()|*+^$?]))(?<often>\?|\{(?<least>\d{1,3})(?:,(?<most>\d{1,3}))?\})?/sy
const member = /^(?:[A-Za-z0-9]-[A-Za-z0-9]|\\[dw\\\]\-^]|[^\\\][^])+$/

function readPattern(value: string): Result<ReadPattern> {
  let [beginning, source, reach, ways, at] = ['', '', 0, 1, 0]
  let isFixed = true
  while (at < value.length) {
    item.lastIndex = at
    const found = item.exec(value)
    if (found === null) return no(explain(value.charAt(at), at))
    const { escaped, members, plain, often, least = '', most = least } = found.groups ?? {}
    const atom = readAtom({ escaped, members, plain })
    if (atom === null) return no(`what stands at character ${at + 1} is not understood`)
    const [from, to] = often === '?' ? [0, 1] : often === undefined ? [1, 1] : [Number(least), Number(most)]
    if (from > to || to > ownRuleLimits.repeats)
      return no(`at character ${at + 1}, repeat at most ${ownRuleLimits.repeats} times`)
    at += found[0].length
    reach += to
    // The last one takes what it can, and nothing comes after it that could want it back.
    if (at < value.length) ways *= to - from + 1
    isFixed &&= often === undefined && members === undefined && !/^\\[dw]$|^\.$/.test(atom)
    if (isFixed) beginning += escaped ?? plain ?? ''
    source += `${atom}{${from},${to}}`
  }
  if (beginning.length < ownRuleLimits.beginning) return no(`begin with at least ${ownRuleLimits.beginning} fixed characters`)
  if (/[^\x20-\x7e]/.test(beginning)) return no('begin with letters, digits and signs of ASCII')
  if (reach > ownRuleLimits.reach) return no(`it takes more than ${ownRuleLimits.reach} characters`)
  if (ways > ownRuleLimits.ways) return no('it leaves too much open; give narrower repetitions')
  return ok({ beginning, source, effort: reach * ways })
}

interface Atom {
  readonly escaped: string | undefined
  readonly members: string | undefined
  readonly plain: string | undefined
}

/** As a regular expression; null for an escape or a class that is not in the language. */
function readAtom({ escaped, members, plain }: Atom): string | null {
  if (escaped !== undefined)
    return /[dw]/.test(escaped) ? `\\${escaped}` : /[a-z0-9]/i.test(escaped) ? null : escapePattern(escaped)
  if (members !== undefined) return member.test(members) ? `[${members}]` : null
  return plain === '.' ? '.' : escapePattern(plain ?? '')
}

function explain(sign: string, at: number): string {
  const place = `at character ${at + 1}`
  if ('*+'.includes(sign)) return `${place}, write how often at most, as {1,40}, instead of ${sign}`
  if ('()|'.includes(sign)) return `${place}, there are no groups and alternatives; add one rule for each, or write \\${sign}`
  return `${place}, ${sign} has no meaning there; write \\${sign} for the sign itself`
}

function no(problem: string): Result<never> {
  return refuse('redaction_invalid', { problem })
}
