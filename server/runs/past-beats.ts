/** The entries of a chat that bear on what a model reads of it: of a long past that was summarised, only the marks. */
import { readNotes, standingBeats } from '@bridlewise/engine'
import type { Beat, BeatKind } from '@bridlewise/shared/wire'
import type { Owner, Store } from '../storage/index.ts'

/** What says what is sent of a chat; a rewind takes some of them back. */
const noted: readonly BeatKind[] = ['compaction', 'boundary', 'goal', 'quarantine', 'restored', 'rewind', 'forked']
/** Of changed files only the newest are told; an estimate is corrected by half with every report, so old ones weigh nothing. */
const recent: readonly (readonly [readonly BeatKind[], number])[] = [
  [['effect'], 500],
  [['request', 'response'], 40],
]
const mostNoted = 2_000

/**
 * The standing entries from the point on from which a model reads the chat, and before it those that
 * say where that point is.
 *
 * Contract: oldest first. Words, calls and results that the boundary leaves out are neither opened nor held. An
 * answer's place is that of its first entry, so none is cut in two. Entries of `runId` are left out.
 */
export function readStanding(
  { ledger }: Pick<Store, 'ledger'>,
  { chatId, runId, ...owner }: Owner & { readonly chatId: string; readonly runId: string },
): Beat[] {
  const newest = (kinds: readonly BeatKind[], limit: number) => ledger.newest(owner, { chatId, kinds, limit })
  const isEarlier = (beat: Beat) => beat.runId !== runId
  const marks = newest(noted, mostNoted).filter(isEarlier).toReversed()
  const { upTo } = readNotes(standingBeats(marks)).boundary
  const before = upTo === 0 ? [] : [...marks, ...recent.flatMap(([kinds, limit]) => newest(kinds, limit))]
  const kept = before.filter((beat) => beat.seq <= upTo && isEarlier(beat)).toSorted((one, other) => one.seq - other.seq)
  for (let after: string | undefined = String(upTo); after !== undefined; ) {
    const page = ledger.list(owner, { chatId, after, limit: 500 })
    kept.push(...page.items.filter(isEarlier))
    after = page.next
  }
  return standingBeats(kept)
}
