/** Going on where a run stopped: only when somebody asks, and with what nobody knows about it said first. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type Beat, isPaused, type Outcome } from '@bridlewise/shared/wire'
import type { Asked, RunParts, StartRequest } from './control.ts'
import { readBeats } from './end.ts'

/**
 * The request for a run that continues another: the same chat, model and mode.
 *
 * Refuses: thing_unknown, run_still_active, run_not_continuable.
 */
export function continuation({ store }: Pick<RunParts, 'store'>, { userId, id, idempotencyKey }: Asked): Result<StartRequest> {
  const owner = { userId }
  const run = store.runs.get(owner, id)
  if (!run) return refuse('thing_unknown', { kind: 'run' })
  if (!run.outcome) return refuse('run_still_active')
  if (!canContinue(run.outcome)) return refuse('run_not_continuable', { problem: 'it ended and was not cut short' })
  const [newest] = store.runs.list(owner, { chatId: run.chatId, limit: 1 }).items
  if (newest?.id !== run.id) return refuse('run_not_continuable', { problem: 'the chat has gone on since' })
  const beats = readBeats({ store }, { ...owner, runId: run.id, chatId: run.chatId })
  const end = beats.findLast((beat) => beat.kind === 'run_ended')
  if (!end) return refuse('run_not_continuable', { problem: 'its record has no end' })
  const { providerId, modelId } = run.model
  return ok({
    ...owner,
    chatId: run.chatId,
    prompt: writePrompt(run.outcome, beats),
    mode: run.mode,
    model: run.fixture ? undefined : { providerId, modelId },
    idempotencyKey,
    continues: { runId: run.id, endId: end.id },
  })
}

/** Cut short: by a server that stopped, or by a limit. */
function canContinue(outcome: Outcome): boolean {
  return outcome.kind === 'interrupted' || isPaused(outcome)
}

/** What model and person read alike. */
function writePrompt(outcome: Outcome, beats: readonly Beat[]): string {
  const why = outcome.kind === 'interrupted' ? 'The server stopped during the last run.' : 'The last run stopped at a limit.'
  const begun = beats.flatMap(describeUnknown)
  const go = `${why} Continue where it stopped.`
  if (begun.length === 0) return go
  return `${go}\n\nNobody knows what these did, or whether they did anything:\n${begun.join('\n')}\nLook at how things stand before you do any of it again.`
}

/** Calls that were begun and whose end nobody saw: cut off with the server, or killed on the way. */
function describeUnknown(beat: Beat, _at: number, beats: readonly Beat[]): string[] {
  if (beat.kind === 'unknown') return [line(beat.payload.headline)]
  if (beat.kind !== 'result' || (beat.payload.status !== 'killed' && beat.payload.status !== 'timed_out')) return []
  const call = beats.find((other) => other.kind === 'call' && other.payload.callId === beat.payload.callId)
  return call?.kind === 'call' ? [line(call.payload.headline)] : []
}

function line({ verb, object }: { readonly verb: string; readonly object: string }): string {
  return `- ${verb} ${object}`
}
