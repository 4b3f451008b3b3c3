/** What a sentence claims to have been done or shown. Patterns of English words; no model is asked. */
import { checksIn, countsIn, tellsOfFailures } from './check-words.ts'
import type { Claim } from './claim.ts'
import { nameLast, splitClauses, withoutQuotations } from './clauses.ts'

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
