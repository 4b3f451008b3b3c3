/** What the ledger of a chat says about its context: the boundary, the goal, what was quarantined, what was learned. */
import type { Beat, BeatOf, ModelMessage } from '@bridlewise/shared/wire'
import { historyFromBeats } from '../history.ts'
import type { Listener } from '../thoughts.ts'
import type { ContextInput, QuarantinedItem } from './input.ts'
import { correct } from './measure.ts'
import { keyOf } from './quarantine.ts'
import { tellSummary } from './summary.ts'

/** The entry that a summary in force comes from, and how far it reaches. `upTo` 0: everything is sent word for word. */
export interface Boundary {
  readonly upTo: number
  readonly compaction: BeatOf<'compaction'> | null
}

/** What a person and the product decided about what is sent of a chat. */
export interface Notes extends Pick<ContextInput, 'goal' | 'quarantined'> {
  readonly boundary: Boundary
}

export interface Past extends Notes, Pick<ContextInput, 'correction' | 'files' | 'reasoningBack'> {
  /** What a model reads of the chat: the summary in force, then what came after it. */
  readonly history: readonly ModelMessage[]
}

/**
 * Read a chat's past, oldest entry first.
 *
 * Contract: pure; the same entries always give the same past. `model` is who reads it, and whose
 * reports correct the estimates.
 */
export function readPast(all: readonly Beat[], model: Listener): Past {
  const beats = all.filter(isOwn)
  const notes = readNotes(beats)
  const { upTo, compaction } = notes.boundary
  const after = upTo === 0 ? beats : beats.filter(({ seq }) => seq > upTo)
  const summary = compaction === null ? [] : [tellSummary(compaction.payload.summary)]
  return {
    ...notes,
    history: [...summary, ...historyFromBeats(after, model)],
    files: findFiles(all),
    correction: learnCorrection(beats, model),
    reasoningBack: model.reasoning,
  }
}

/** Contract: the newest word on boundary, goal and each message that is left out counts. Other entries do not matter here. */
export function readNotes(all: readonly Beat[]): Notes {
  const beats = all.filter(isOwn)
  return { boundary: findBoundary(beats), goal: findGoal(beats), quarantined: findQuarantined(beats) }
}

/** What a child summarised or left out was of its own conversation. */
function isOwn({ within }: Beat): boolean {
  return within === undefined
}

function findBoundary(beats: readonly Beat[]): Boundary {
  const moved = beats.findLast((beat) => beat.kind === 'compaction' || beat.kind === 'boundary')
  if (moved?.kind === 'compaction') return { upTo: moved.payload.upTo, compaction: moved }
  if (moved?.kind !== 'boundary') return { upTo: 0, compaction: null }
  const { upTo } = moved.payload
  // Of the summaries that end there or before, the one that reaches furthest; none of them is no boundary at all.
  const fitting = beats.filter((beat) => beat.kind === 'compaction').filter(({ payload }) => payload.upTo <= upTo)
  const compaction = fitting.reduce<BeatOf<'compaction'> | null>(
    (best, beat) => (best === null || beat.payload.upTo >= best.payload.upTo ? beat : best),
    null,
  )
  return { upTo, compaction: upTo === 0 ? null : compaction }
}

function findGoal(beats: readonly Beat[]): string | null {
  return beats.findLast((beat) => beat.kind === 'goal')?.payload.text ?? null
}

function findFiles(beats: readonly Beat[]): string[] {
  const files = new Set<string>()
  for (const beat of beats) if (beat.kind === 'effect' && beat.payload.effect === 'file') files.add(beat.payload.target)
  return [...files]
}

function findQuarantined(beats: readonly Beat[]): QuarantinedItem[] {
  const quarantined = new Map<string, QuarantinedItem>()
  for (const beat of beats) {
    if (beat.kind === 'restored') for (const item of beat.payload.items) quarantined.delete(keyOf(item))
    if (beat.kind !== 'quarantine') continue
    for (const item of beat.payload.items) quarantined.set(keyOf(item), item)
  }
  return [...quarantined.values()]
}

function learnCorrection(beats: readonly Beat[], { endpoint, modelId }: { readonly endpoint: string; readonly modelId: string }) {
  let correction = 1
  let request: BeatOf<'request'> | null = null
  for (const beat of beats) {
    if (beat.kind === 'request') request = beat
    if (beat.kind !== 'response' || request?.payload.context === undefined || beat.payload.usage === null) continue
    const { egress, context } = request.payload
    if (egress.endpoint !== endpoint || egress.modelId !== modelId) continue
    const estimated = context.tokens / context.correction
    correction = correct(correction, { estimated, reported: beat.payload.usage.inputTokens })
    request = null
  }
  return correction
}
