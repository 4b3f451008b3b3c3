/** What a person answers about a request that waits for them: on record first, then done. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { BeatPayload, Run } from '@bridlewise/shared/wire'
import type { Held } from '../egress/index.ts'
import type { AnswerToHeld, RunParts } from './control.ts'

/**
 * Send a request that waits, or stop its run.
 *
 * Contract: of all answers to one request exactly one counts, and it is in the ledger before the request
 * leaves or the run stops.
 * Refuses: thing_unknown, hold_over, run_already_ended.
 */
export async function answerHeld(
  parts: RunParts,
  { digest, answer, ...place }: AnswerToHeld,
  stop: () => Promise<Result<Run>>,
): Promise<Result<Run>> {
  const run = parts.store.runs.get(place, place.runId)
  if (!run) return refuse('thing_unknown', { kind: 'run' })
  const taken = parts.holds.take(place, digest)
  if (!taken.ok) return taken
  const { release, fail, ...held } = taken.value
  try {
    await recordAnswer(parts, held, answer)
  } catch (cause) {
    fail(cause)
    throw cause
  }
  if (answer === 'stop') return stop()
  release()
  return ok(run)
}

/** A beat and the frame that shows it. A run that has ended meanwhile has no place for one. */
export async function recordAnswer(
  { store, feed, clock }: Pick<RunParts, 'store' | 'feed' | 'clock'>,
  { scope, request }: Held,
  answer: BeatPayload<'held'>['answer'],
): Promise<void> {
  const { endpoint, bytes, digest } = request.egress
  const payload = { step: request.step, answer, endpoint, bytes, digest, ms: clock.now() - request.at }
  await feed.commit(scope.runId, (number) =>
    store.enqueue(() => {
      const beat = store.ledger.write(scope, { kind: 'held', payload, source: answer === 'none' ? 'server' : 'user' })
      store.frames.write(scope, number([{ kind: 'beat', beat }]))
    }),
  )
}
