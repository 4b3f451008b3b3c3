/** The claims of an answer, held against the record of the turn that gave it. */
import type { BeatPayload, ClaimVerdict } from '@bridlewise/shared/wire'
import type { Claim } from './claim.ts'
import { findClaims } from './claims.ts'
import { checkKinds } from './commands.ts'
import { type Evidence, editsAfter, lastCheck } from './evidence.ts'
import { type Fabrication, findFabrication } from './fabrications.ts'
import { type EarlierCalls, type Judgement, judgeClaim } from './judge.ts'
import { splitSentences } from './sentences.ts'

export interface CheckedAnswer {
  readonly claims: BeatPayload<'claims'>['claims']
  readonly recheck: BeatPayload<'claims'>['recheck']
  readonly fabrication: Fabrication | null
}

export interface AnswerToCheck {
  readonly text: string
  readonly evidence: Evidence
  /** Names of the tools that the model was offered. */
  readonly offered: ReadonlySet<string>
  readonly earlier: EarlierCalls
}

/** More sentences that claim something are counted, not judged: an answer of thousands is not read by anyone. */
export const mostClaims: number = 200

/**
 * Check an answer.
 *
 * Contract: a sentence that claims several things gets the worst of their verdicts. Nothing is changed in
 * the answer; offsets are UTF-16 units into it.
 */
export function checkAnswer({ text, evidence, offered, earlier }: AnswerToCheck): CheckedAnswer {
  const found: Claim[] = []
  const claims: CheckedAnswer['claims'] = []
  // In a chat without tools, code that is shown is itself the work: "I added a parameter" speaks of it.
  const shown = offered.size === 0 && /^\s{0,3}(?:```|~~~)/m.test(text)
  for (const sentence of splitSentences(text)) {
    if (claims.length === mostClaims) break
    const made = findClaims(sentence.text).filter(({ kind }) => !(shown && kind === 'change'))
    if (made.length === 0) continue
    found.push(...made)
    const { verdict, reason, evidence: beats } = worst(made.map((claim) => judgeClaim({ evidence, earlier }, claim)))
    claims.push({ start: sentence.start, end: sentence.end, verdict, reason, evidence: [...beats] })
  }
  const fabrication = findFabrication({ text, claims: found, called: evidence.called, offered, earlier })
  return { claims, recheck: findRecheck(evidence), fabrication }
}

/** From the worst to the best. */
const order: readonly ClaimVerdict[] = ['contradicted', 'unsupported', 'not_rechecked', 'earlier', 'supported']

function worst(judgements: readonly Judgement[]): Judgement {
  const [first, ...rest] = judgements.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
  if (!first) throw new Error('a sentence without a claim was judged')
  return rest.reduce((kept, next) => (next.verdict === kept.verdict ? joined(kept, next) : kept), first)
}

function joined(one: Judgement, other: Judgement): Judgement {
  const reason = one.reason === other.reason ? one.reason : `${one.reason} ${other.reason}`
  return { verdict: one.verdict, reason, evidence: [...new Set([...one.evidence, ...other.evidence])] }
}

/** A turn that changed files after its last green check, whether or not the answer speaks of it. */
function findRecheck(evidence: Evidence): CheckedAnswer['recheck'] {
  const check = lastCheck(evidence, checkKinds)
  if (!check?.green) return null
  const edits = editsAfter(evidence, check)
  if (edits.length === 0) return null
  return { check: check.beatId, edits: edits.map(({ beatId }) => beatId) }
}
