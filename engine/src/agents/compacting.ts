/** Compacting: earlier turns become a summary, which stands for them from the next request on. */
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { Compaction } from '@bridlewise/shared/wire'
import { keepEnds } from '../tools/index.ts'
import {
  askForSummary,
  type Cut,
  findAutomaticCut,
  findCut,
  judgeSummary,
  meterOf,
  tellFacts,
  tellInChunks,
  tellSummary,
  tellTail,
  withPlaceholders,
} from './context/index.ts'
import { hearSummary } from './streaming.ts'
import { type Ending, endOfSteps, record, type Turn, type TurnState, takeStep } from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/** Tokens that stay word for word when a person asks for a summary. */
const recentWhenAsked = 2_000
/** Tokens of the conversation in one request for a summary, where no window is known, and at most. */
const usualChunk = 24_000
/** Requests that one compaction may take. */
const mostChunks = 12
/** What a summary may take: of the window, and at most. In tokens. */
const summaryShare = 1 / 8
const mostOfSummary = 4_000
const mostOfRequest = { bytes: 8 * 1024, lines: 200 }

/**
 * Put earlier turns into a summary.
 *
 * Contract: the summary is not empty, bounded and shorter than what it stands for, or the older
 * messages are left out and that is said. The ledger keeps everything. A stop or a refused payment
 * changes nothing.
 */
export async function* compact(
  turn: Turn,
  { reason }: { readonly reason: Compaction['reason'] },
): AsyncGenerator<TurnEvent, TurnState> {
  const { reading, messages } = turn
  const cut = reason === 'asked' ? findCut({ messages, recent: recentWhenAsked, least: 0 }) : findAutomaticCut(reading, messages)
  if (cut === null) return { name: 'done', ending: { kind: 'failed', refusal: makeRefusal('compaction_pointless') } }
  const tools = turn.executor ? turn.context.tools.forModel(turn.context.scope.mode) : []
  const tokensBefore = meterOf(reading, { messages, tools }).tokens
  const summarised = yield* summarise(turn, cut)
  if (typeof summarised === 'object' && summarised !== null) return { name: 'done', ending: summarised }
  const summary = [tellFacts(factsOf(turn, cut)), summarised ?? tellTail(cut.older.length)]
    .filter((part) => part !== '')
    .join('\n\n')

  messages.splice(1, cut.at - 1, tellSummary(summary))
  const { tokens: tokensAfter, compactAt } = meterOf(reading, { messages, tools })
  const method = summarised === null ? 'tail' : 'summary'
  const { upTo, older } = cut
  const beat = yield* record(turn, {
    kind: 'compaction',
    source: 'server',
    payload: { upTo, messages: older.length, summary, method, reason, tokensBefore, tokensAfter },
  })
  turn.basis = [beat.id]
  reading.compacted = { messages: messages.length, enough: compactAt === null || tokensAfter <= compactAt }
  return reason === 'asked' ? { name: 'done', ending: { kind: 'completed' } } : { name: 'assembling' }
}

/** The summary, null when none could be had, or the ending of a turn that may not go on. */
async function* summarise(turn: Turn, cut: Cut): AsyncGenerator<TurnEvent, string | null | Ending> {
  const own = turn.reading.input.window
  const { modelId, window, correction } = speakerOf(turn)
  const most = Math.min(mostOfSummary, ...[own, window].map((takes) => (takes === null ? mostOfSummary : takes * summaryShare)))
  const tokens = window === null ? usualChunk : Math.min(usualChunk, Math.floor((window / 2 - most) / correction))
  const { texts, leftOut } = tellInChunks(withPlaceholders(cut.older, turn.reading.quarantined), {
    tokens: Math.max(tokens, 500),
    most: mostChunks,
  })
  let summary: string | null = leftOut > 0 ? tellTail(leftOut) : null
  for (const text of texts) {
    if (endOfSteps(turn)) return null
    const { runId } = turn.context.scope
    const request = {
      ...{ runId, step: takeStep(turn), modelId, tools: [], correction },
      purpose: 'summary' as const,
      messages: askForSummary(text, summary),
    }
    turn.reading.meter = { ...meterOf({ ...turn.reading, correction }, request), window }
    const heard = yield* hearSummary(turn, request)
    if (typeof heard === 'object') return heard
    const before = turn.reading.meter.tokens
    const judged = judgeSummary(heard, { most, before })
    if (judged === null) return null
    summary = judged
  }
  return summary
}

/** Who writes the summary, and how its tokens are counted: nobody has learned that of another model. */
function speakerOf({ context, input, reading }: Turn) {
  if (context.summaries) return { ...context.summaries, correction: 1 }
  return { modelId: input.modelId, window: reading.input.window, correction: reading.correction }
}

/** What is known without a model. What the person asked for now is told whole when the cut lies behind it. */
function factsOf({ reading, input, tally }: Turn, { older }: Cut) {
  const { goal, files, promptSeq } = reading.input
  const isBehind = promptSeq !== null && older.some((message) => message.role === 'user' && message.seq === promptSeq)
  const request = isBehind ? keepEnds(input.prompt, mostOfRequest).text : null
  return { goal, files: [...new Set([...files, ...tally.filesChanged])], request }
}
