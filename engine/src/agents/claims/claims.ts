/** What a sentence claims to have been done or shown. Patterns of English words; no model is asked. */
import { type CheckKind, checkKinds, classifyCommand } from './commands.ts'

export type Claim =
  /** A kind of check is said to be green. */
  | { readonly kind: 'check'; readonly checks: readonly CheckKind[] }
  /** Numbers of tests are given; null for a number that is not. */
  | { readonly kind: 'count'; readonly passed: number | null; readonly failed: number | null; readonly total: number | null }
  /** Files or code are said to be changed; `paths` as far as they are named. */
  | { readonly kind: 'change'; readonly paths: readonly string[] }
  /** Something is said to have been run; `commands` as far as they are quoted, `git` where only one command of it does that. */
  | { readonly kind: 'run'; readonly commands: readonly string[]; readonly git?: 'commit' | 'push' }
  /** Something is said to have been looked at or verified. */
  | { readonly kind: 'look'; readonly verified: boolean }
  /** The work is said to be done. */
  | { readonly kind: 'done' }

type Count = Extract<Claim, { kind: 'count' }>

/** Longer sentences are read up to here. In UTF-16 units. */
const readLength = 1000

/**
 * Find what a sentence claims.
 *
 * Contract: a question, a plan, a condition, a negation, an order to the reader and what others did claim nothing.
 * Clauses are judged one by one, so that "I updated `a.ts`, which should fix it" claims the first half alone.
 */
export function findClaims(sentence: string): readonly Claim[] {
  const text = nameLast(withoutQuotations(sentence.slice(0, readLength))).replaceAll(/[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}/g, '')
  if (/\?["')\]]*$/.test(text) || orders.test(text)) return []
  const claims: Claim[] = []
  const tellsFailures = countsIn(text).some(tellsOfFailures)
  let hedged = false
  let mine = true
  for (const clause of splitClauses(text)) {
    // What others say, and what is taken back, lasts to the end of the sentence.
    if (reported.test(clause)) break
    const starts = new RegExp(`^${lead}(?:${pastVerb.source})\\b`, 'i').test(clause)
    // "I would have changed it and run the tests": a clause without a subject goes with the one before.
    if (!starts || claims.length > 0) hedged = isHedged(clause) || (hedged && !hasSubject(clause))
    else hedged = isHedged(clause) || hedged
    mine = hasSubject(clause) ? subjectIsMine(clause) : mine
    // "It is done when a, b and c": all that follows is part of the condition.
    if (conditioned.test(clause) && !starts && !first.test(clause)) break
    if (hedged) continue
    claims.push(...claimsOf(clause, { mine, tellsFailures }))
  }
  return dedupe(claims)
}

/** Words in quotation marks are somebody's, or a proposal; a name in them stays. */
function withoutQuotations(text: string): string {
  return text.replaceAll(/"[^"`]* [^"`]*"|“[^”`]* [^”`]*”/g, '"')
}

/** A row of a table as one clause; "`a.ts`: added a check" with the name behind, where a verb has its object. */
function nameLast(text: string): string {
  const cells = text.startsWith('|') ? text.split('|').map((cell) => cell.trim()) : [text]
  const isName = (cell: string) => /^`[^`]+`$/.test(cell)
  const row = [...cells.filter((cell) => !isName(cell)), ...cells.filter(isName)].join(' ').trim()
  return row.replace(/^((?:[-+•*]|\d+[.)])\s+)?\*{0,2}(`[^`]+`)\*{0,2}\s?(?::|[–—-])\s+([^`]+?)\.?$/, '$1$3 $2')
}

/** Commas and joining words outside of quoted code. */
function splitClauses(text: string): string[] {
  const clauses: string[] = []
  let current = ''
  for (const part of text.split(/(`[^`]*`)/)) {
    if (part.startsWith('`')) {
      current += part
      continue
    }
    const pieces = part.split(/[;:]\s|,\s|\s[–—-]\s|[—–()]|\b(?:and|but|so|because|which|while|although|then)\b/i)
    current += pieces[0] ?? ''
    for (const piece of pieces.slice(1)) {
      clauses.push(current)
      current = piece
    }
  }
  return [...clauses, current].map((clause) => clause.trim()).reduce<string[]>(joinNames, [])
}

/** "I updated `a.ts` and `b.ts`": names alone belong to the clause before. */
function joinNames(clauses: string[], clause: string): string[] {
  if (clause === '') return clauses
  const last = clauses.length - 1
  if (last < 0 || !/^(?:also |even )?(?:`[^`]+`[\s.]*)+$/.test(clause)) return [...clauses, clause]
  return clauses.with(last, `${clauses[last]}, ${clause}`)
}

const change =
  /edited|updated|changed|modified|fixed|added|created|removed|deleted|renamed|moved|refactored|implemented|wrote|rewrote|written|rewritten|replaced|patched|applied|extracted|introduced|corrected|adjusted|migrated|converted|simplified|optimi[sz]ed|documented|configured|saved|inserted|bumped|reverted|resolved|merged|copied|improved|cleaned up|set up/
const run =
  /ran|executed|installed|built|compiled|started|launched|deployed|published|pushed|committed|tested|re-?ran|benchmarked|formatted|linted/
const look =
  /verified|confirmed|checked|validated|double-checked|ensured|made sure|reviewed|inspected|examined|searched|looked (?:at|through|into)|went (?:through|over)/
const verifies = /\b(?:verified|confirmed|validated|double-checked|ensured|made sure|tested)\b/i
const pastVerb = new RegExp(`${change.source}|${run.source}|${look.source}`)
/** A look only with its subject: "read the manual" is an order. What the person wrote is read without a call. */
const readIt = String.raw`read(?= (?:[\w-]+ )*?(?:\x60|files?|code|sources?|modules?|logs?))`

/** List marks, ticks and adverbs that may stand before the verb. */
const lead = String.raw`(?:[-+•]\s+|\d+[.)]\s+|\[x\]\s*|[✅✔☑️🎉]+\s*)*(?:(?:successfully|also|now|just|then|finally|already|first|next|lastly)[ ,]+)*`
const adverbs = String.raw`(?:\s+(?:now|also|just|then|already|successfully|finally|carefully|manually|both|all|therefore|first|only|since))*`

const first = new RegExp(
  String.raw`(?:\b(?:I|we)(?:['’]ve|\s+have|\s+had)?|^having)${adverbs}\s+(?:been\s+)?(?<verb>${pastVerb.source}|${readIt})\b`,
  'i',
)
const bare = new RegExp(`^${lead}(?<verb>${pastVerb.source})\\b(?!\\s+\\w+\\s+(?:is|are|was|were|will|can)\\b)`, 'i')
const passive = new RegExp(
  String.raw`\b(?:(?:has|have) (?:now |also |just |already )?been|(?:is|are) now)${adverbs}\s+(?<verb>${pastVerb.source})\b`,
  'i',
)
/** Somebody or something else, or another time. */
const others =
  /\b(?:by (?!hand\b|\w+ing\b)(?:the |an? )?\w+|upstream|previously|originally|in (?:v?\d|commit|version|the (?:last|previous) release)|last (?:week|month|year)|at that time|yesterday|years? ago|before (?:this|my) (?:change|turn))\b/i

const hedges =
  /\b(?:will|would|should|could|can|might|may|must|shall|let me|let['’]s|going to|plan to|planning to|want(?:s|ed)? to|need(?:s|ed)? to|try(?:ing)? to|tried to|intend|propose|suggest|recommend|if|unless|once|when|whenever|as long as|provided|before|until|in order|to be|so that|after you|assuming|expect(?:ed|s)?|hopefully|presumably|likely|probably|seems?|appears?|I['’](?:ll|d)|ready to|how to|example|instead of|rather than|supposed to|as if|would have|ought|make sure|ensure that)\b/i
const negations =
  /\b(?:not|never|without|unable|cannot|nothing|none|neither|nor|hardly|no(?! longer)|didn['’]?t|don['’]?t|doesn['’]?t|hasn['’]?t|haven['’]?t|couldn['’]?t|can['’]?t|wasn['’]?t|weren['’]?t|isn['’]?t|aren['’]?t|won['’]?t|failed to|yet to|un(?:tested|verified|checked))\b/i
const reported =
  /\b(?:you|he|she|they|your \w+|the (?:user|author|reviewer|maintainers?|team|issue|ticket|comment|readme|docs?|documentation))(?: have| has|['’]ve)? (?:say|says|said|mention|mentions|mentioned|told|tells|wrote|writes|claim|claims|claimed|state|states|stated|promises|promised|reported)\b|\b(?:wrong|mistaken|incorrect|premature|too early)(?: of me)? to (?:say|claim|state|think|assume)\b/i
const conditioned = /\S\s+(?:if|when|whenever|once|unless|until|as soon as|as long as|provided)\b/i
/** Negations that say something good. */
const good =
  /\b(?:no|without(?: any)?|zero|0) (?:new |more |further |remaining |other |lint |type |test |compile |compiler )*(?:errors?|failures?|failed|warnings?|issues?|problems?|regressions?|complaints?|findings?|changes? to|(?:failing|failed|broken|red) (?:\w+ )?(?:tests?|specs?|checks?))\b|\bnot only\b|\bno longer\b/gi
const orders =
  /^(?:[-+•*]\s+|\d+[.)]\s+)?(?:please|you (?:can|should|could|may|need|will|must)|run|re-?run|verify|check|make sure|ensure|try|consider|let me know|feel free|see|note that you|use|add|update|create|install|open|start)\b/i

function isHedged(clause: string): boolean {
  const code = clause.replaceAll(/`[^`]*`/g, '`').replaceAll(/\bas (?:expected|intended|planned|requested)\b/gi, '')
  return hedges.test(code) || negations.test(code.replaceAll(good, ''))
}

function hasSubject(clause: string): boolean {
  return /^(?:also |now |then |finally )?(?:I|we|you|he|she|they|it|this|that|these|those|the|a|an|my|our|your|its|each|every|all|both|there|commit|pull request|PR|release|`|[A-Z][\w.]*\s+(?:is|are|was|were|has|have|\w+ed))\b|^`/i.test(
    clause,
  )
}

function subjectIsMine(clause: string): boolean {
  return !/^(?:you|he|she|they|(?:that |this )?(?:commit|pull request|PR|release)|the (?:author|user|team|maintainers?|previous|original|old|upstream|docs?|documentation|readme|commit|library|package|framework|compiler)|somebody|someone)\b/i.test(
    clause,
  )
}

/** What a clause takes from the sentence around it. */
interface Sentence {
  readonly mine: boolean
  readonly tellsFailures: boolean
}

function claimsOf(clause: string, { mine, tellsFailures }: Sentence): Claim[] {
  const counts = countsIn(clause)
  const claims: Claim[] = [...counts]
  // "9 of 12 tests pass" and "9 tests pass, 3 fail" say themselves that not all do.
  const isPartial = counts.some((count) => tellsOfFailures(count) || (tellsFailures && count.total === null))
  const checks = checksIn(clause).filter((kind) => !(isPartial && kind === 'test'))
  if (checks.length > 0) claims.push({ kind: 'check', checks })
  const verb =
    mine && !others.test(clause.replaceAll(/`[^`]*`/g, '`').replaceAll(/\b(\w+) by \1\b/gi, '')) ? verbIn(clause) : null
  if (verb !== null) claims.push(...claimsOfVerb(verb, clause))
  if (claims.length === 0 && isDone(clause)) claims.push({ kind: 'done' })
  return claims
}

function tellsOfFailures({ passed, failed, total }: Count): boolean {
  return (failed ?? 0) > 0 || (passed !== null && total !== null && passed < total)
}

function verbIn(clause: string): string | null {
  const match = first.exec(clause) ?? bare.exec(clause) ?? passive.exec(clause)
  return match?.groups?.['verb']?.toLowerCase() ?? null
}

function claimsOfVerb(verb: string, clause: string): Claim[] {
  const quoted = [...clause.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string)
  if (new RegExp(`^(?:${change.source})$`).test(verb)) return [{ kind: 'change', paths: pathsIn(clause, quoted) }]
  if (new RegExp(`^(?:${run.source})$`).test(verb)) {
    const commands = quoted.filter((each) => /\s/.test(each) || /^[\w./-]+$/.test(each))
    const git = verb === 'committed' ? 'commit' : verb === 'pushed' ? 'push' : null
    return [{ kind: 'run', commands, ...(git && { git }) }]
  }
  return [{ kind: 'look', verified: verifies.test(verb) }]
}

/** Names with a file ending or a slash; a name in code alone could be a function. */
function pathsIn(clause: string, quoted: readonly string[]): string[] {
  const bareNames = clause.replaceAll(/`[^`]*`/g, ' ').match(/(?<![\w/])[\w@.-]+(?:\/[\w@.-]+)*\.[a-z]{1,5}\b(?!\()/gi) ?? []
  const names = [...quoted, ...bareNames].map((name) => name.replace(/^\.\//, '').replace(/:\d+(?:-\d+)?$/, ''))
  return names.filter((name) => /^[\w@.-]+(?:\/[\w@.-]+)*\.[a-z][a-z0-9]{0,5}$/i.test(name) && !/^(?:e\.g|i\.e)$/i.test(name))
}

const subjects: Readonly<Record<CheckKind, string>> = {
  test: `(?:tests?|specs?|test suites?|suites?|test runs?|assertions|vitest|jest|pytest|regression tests?)`,
  lint: `(?:lint(?:er|ing|s)?|eslint|biome|oxlint|prettier|formatter|formatting|ruff|clippy|flake8|style checks?)`,
  types: `(?:type[ -]?check(?:s|ing|er)?|types|tsc|mypy|pyright|typescript(?: compiler)?)`,
  build: `(?:builds?|bundle|compilation|compile|compiler)`,
}
const passes = `(?:pass(?:es|ed|ing)?|succe(?:ed|eds|eded|ssful|ssfully)|(?:is|are|was|were|stays?|remains?|came back|comes? back|all) (?:still |now |all )*(?:green|clean|ok|okay|happy|passing)|(?:no|0|zero|without(?: any)?) (?:errors?|failures?|warnings?|issues?|problems?)|works?|is fine|are fine)`
/** What a quoted command is said to have come to. */
const passesNext = new RegExp(String.raw`^.{0,30}?\b${passes}\b`, 'i')
const checkPatterns = checkKinds.map((kind) => ({
  kind,
  after: new RegExp(String.raw`\b${subjects[kind]}\b.{0,60}?\b${passes}\b`, 'i'),
  /** "Tests green", "Lint | ✅ clean": no verb between. */
  short: new RegExp(String.raw`\b${subjects[kind]}\s+(?:[✅✔☑️]+\s*)?(?:all |now |still )*(?:green|clean|okay|ok)\b`, 'i'),
  none: new RegExp(
    String.raw`\b(?:no|zero|0|without(?: any)?) (?:more )?(?:failing|failed|broken|red) (?:\w+ )?${subjects[kind]}\b`,
    'i',
  ),
  before: new RegExp(String.raw`\b(?:pass(?:es|ed|ing)?|succeeds? in) (?:\w+ ){0,3}?${subjects[kind]}\b`, 'i'),
}))
const allChecks =
  /\b(?:all(?: the| of the)? checks|every check|everything|ci|the gate|all) (?:\w+ )?(?:pass(?:es|ed|ing)?|(?:is|are) (?:now )?green)\b|\ball green\b/i
const compiles =
  /\b(?:it|project|code|everything|package|workspace|crate) (?:now |still |also )*(?:compiles|builds|type-?checks)\b/i

function checksIn(clause: string): CheckKind[] {
  const code = clause.replaceAll('`', '')
  const found = checkPatterns
    .filter(({ after, short, none, before }) => [after, short, none, before].some((pattern) => pattern.test(code)))
    .map(({ kind }) => kind)
  if (found.length > 0) return found
  const [, command = '', rest = ''] = /`([^`]+)`(.*)/.exec(clause) ?? []
  if (passesNext.test(rest)) return [...classifyCommand(command)]
  if (compiles.test(code)) return ['build', 'types']
  return allChecks.test(code) ? [...checkKinds] : []
}

const tested = `(?:(?:unit |integration |existing |new |regression |the |of the |all )*(?:tests?|specs?|checks?|examples?|cases?|assertions?))`
const stands = `(?:have |has |are |is |now |all |still |were |was )*`

function countsIn(clause: string): Count[] {
  const code = clause.replaceAll('`', '')
  const of = new RegExp(
    String.raw`\b(\d+)\s?(?:\/|of|out of)\s?(?:the )?(\d+)\s+(?:${tested}\s+)?${stands}(pass|succe|green|fail)`,
    'i',
  ).exec(code)
  const ofTested = of ?? new RegExp(String.raw`\b(\d+)\s?(?:\/|of|out of)\s?(?:the )?(\d+)\s+${tested}()`, 'i').exec(code)
  if (ofTested) {
    const [, some, total, word] = ofTested
    const isFailure = /^fail/i.test(word ?? '')
    return [
      { kind: 'count', passed: isFailure ? null : Number(some), failed: isFailure ? Number(some) : null, total: Number(total) },
    ]
  }
  const ratio = new RegExp(String.raw`\b${tested}\s+\(?(\d+)\s?\/\s?(\d+)\)?`, 'i').exec(code)
  if (ratio) return [{ kind: 'count', passed: Number(ratio[1]), failed: null, total: Number(ratio[2]) }]
  const passed = new RegExp(
    String.raw`\b(?:all )?(\d+) (?:${tested} )?${stands}(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b`,
    'i',
  ).exec(code)
  const failed = new RegExp(String.raw`\b(\d+) (?:${tested} )?${stands}(?:fail(?:s|ed|ing)?|failures?)\b`, 'i').exec(code)
  if (!passed && !failed) return []
  const total = passed !== null && /\ball (?:the |of the )?\d/i.test(passed[0]) ? Number(passed[1]) : null
  return [{ kind: 'count', passed: passed && Number(passed[1]), failed: failed && Number(failed[1]), total }]
}

const doneWords = new RegExp(
  `^${lead}(?:all )?(?:done|set|complete|completed|finished|fixed|ready|implemented)[.!]*$|` +
    String.raw`\b(?:task|work|change|changes|fix|implementation|feature|refactor(?:ing)?|migration|everything|it|this|bug|issue)\b (?:is|are) (?:now |all |fully |completely )*(?:done|complete|completed|finished|in place|working|implemented|fixed|resolved)\b|` +
    String.raw`\b(?:everything|it|this|the fix|the feature) (?:now )?works(?: as expected| correctly| now)?\b`,
  'i',
)

function isDone(clause: string): boolean {
  return doneWords.test(clause.trim())
}

function dedupe(claims: readonly Claim[]): Claim[] {
  const seen = new Map(claims.map((claim) => [JSON.stringify(claim), claim]))
  return [...seen.values()]
}
