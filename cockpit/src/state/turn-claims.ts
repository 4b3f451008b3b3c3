/** The claims of an answer, with the words and the rows that the record names by id. */
import type { Beat, BeatOf, ClaimVerdict } from '@bridlewise/shared/wire'
import type { Turn, TurnClaims } from './turn.ts'

export function readClaims({ beats }: Turn, { id, payload }: BeatOf<'claims'>): TurnClaims {
  const { messageId, claims, recheck, fabrication, nudge } = payload
  const answer = beats.find((beat): beat is BeatOf<'message'> => beat.kind === 'message' && beat.payload.messageId === messageId)
  const text = answer?.payload.text ?? ''
  const named = new Map(beats.map((beat) => [beat.id, beat]))
  return {
    kind: 'claims',
    id,
    sentences: claims.map(({ start, end, verdict, reason, evidence }) => ({
      text: text.slice(start, end),
      verdict,
      reason,
      callIds: [...new Set(evidence.flatMap((beatId) => callOf(named.get(beatId))))],
    })),
    unchecked: [...new Set((recheck?.edits ?? []).flatMap((beatId) => targetOf(named.get(beatId))))],
    fabrication: fabrication?.reason ?? null,
    nudged: nudge !== null,
  }
}

/** The state of a whole answer, and the words that say it. */
export function weighClaims(claims: TurnClaims): { readonly state: 'done' | 'warning' | 'error'; readonly words: string } {
  const { sentences, unchecked, fabrication } = claims
  const count = (...verdicts: ClaimVerdict[]) => sentences.filter(({ verdict }) => verdicts.includes(verdict)).length
  const against = count('contradicted')
  const without = count('unsupported')
  if (against > 0) return { state: 'error', words: `${against} of ${statements(sentences.length)} against the record` }
  if (without > 0)
    return { state: 'warning', words: `${without} of ${statements(sentences.length)} without support in the record` }
  if (fabrication !== null) return { state: 'warning', words: 'The answer tells of something that the record does not show' }
  if (unchecked.length > 0 || count('not_rechecked') > 0)
    return { state: 'warning', words: 'Not re-checked since the last change' }
  const earlier = count('earlier')
  if (earlier > 0) return { state: 'done', words: `${statements(sentences.length)}, ${earlier} about earlier turns` }
  return { state: 'done', words: `${statements(sentences.length)} with support in the record` }
}

function statements(count: number): string {
  return count === 1 ? '1 statement' : `${count} statements`
}

function callOf(beat: Beat | undefined): string[] {
  if (beat?.kind === 'result') return [beat.payload.callId]
  return beat?.kind === 'effect' && beat.payload.callId !== null ? [beat.payload.callId] : []
}

function targetOf(beat: Beat | undefined): string[] {
  return beat?.kind === 'effect' ? [beat.payload.target] : []
}
