/** What stands of a chat's record once its rewinds count: by reading alone, for nothing is ever removed from it. */
import type { Beat, BeatOf } from '@bridlewise/shared/wire'

/** A rewind by its place in the ledger: it takes back what stands from `to` up to itself, or no words at all. */
export interface RewindMark {
  readonly seq: number
  readonly to: number
  readonly retracts: boolean
}

/** Entries from `from` up to `until`, which is not among them, are taken back. */
export interface Retraction<M extends RewindMark = RewindMark> {
  readonly from: number
  readonly until: number
  readonly by: M
}

/**
 * The retractions that count, newest first.
 *
 * Contract: a rewind that is itself taken back takes nothing back any more. So going back to before a
 * rewind brings back what it took, and takes what was said since.
 */
export function findRetractions<M extends RewindMark>(rewinds: readonly M[]): readonly Retraction<M>[] {
  const counting: Retraction<M>[] = []
  for (const by of rewinds.toSorted((a, b) => b.seq - a.seq)) {
    if (by.retracts && findRetraction(counting, by.seq) === null) counting.push({ from: by.to, until: by.seq, by })
  }
  return counting
}

/** The retraction that takes an entry back, or null for one that stands. */
export function findRetraction<M extends RewindMark>(retractions: readonly Retraction<M>[], seq: number): Retraction<M> | null {
  return retractions.find(({ from, until }) => seq >= from && seq < until) ?? null
}

/** The beats of a chat that stand, oldest first, with the past that a fork brought along in its place. */
export function standingBeats(beats: readonly Beat[]): Beat[] {
  const marks = beats.filter((beat): beat is BeatOf<'rewind'> => beat.kind === 'rewind')
  const retractions = findRetractions(marks.map(({ seq, payload: { to, retracts } }) => ({ seq, to, retracts })))
  return beats.flatMap((beat) => {
    if (findRetraction(retractions, beat.seq) !== null) return []
    // What `forked` holds are beats that a ledger gave; its schema leaves their shape to them.
    return beat.kind === 'forked' ? (beat.payload.past as unknown as Beat[]) : [beat]
  })
}
