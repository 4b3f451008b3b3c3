/** What a person says while a run is active: to steer it, or to follow it. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Run, WaitingMessage } from '@bridlewise/shared/wire'
import type { Owner } from '../storage/index.ts'
import type { FollowUp, RunParts, StartRequest, Words } from './control.ts'

/** Messages that wait in one chat: more than anyone reads at once. */
const mostWaiting = 20

type WaitingParts = Pick<RunParts, 'store' | 'clock' | 'ids'>

/** Refuses: thing_unknown, run_already_ended, waiting_full. */
export function steerRun(parts: WaitingParts, words: Words): Result<WaitingMessage> {
  return keep(parts, words, (run) => ({ delivery: 'steer', mode: run.mode, model: null }))
}

/** Refuses: thing_unknown, run_already_ended, waiting_full. */
export function queueBehind(parts: WaitingParts, { mode, model, ...words }: FollowUp): Result<WaitingMessage> {
  return keep(parts, words, () => ({ delivery: 'queue', mode, model: model ?? null }))
}

/**
 * The request for what waits; `start` makes the run and takes the message in one commit.
 *
 * Contract: the message's own id is the key, so that however often it is asked for there is one run.
 */
export function requestOf(owner: Owner, { id, chatId, text, mode, model }: WaitingMessage): StartRequest {
  return { ...owner, chatId, prompt: text, mode, model: model ?? undefined, idempotencyKey: `waiting-${id}`, waitingId: id }
}

/**
 * Start the next run of a chat whose run has ended, if one waits that starts by itself.
 *
 * Contract: one that cannot start stays, and says that it was refused.
 */
export async function startNext(
  { store }: Pick<RunParts, 'store'>,
  ended: Owner & { readonly chatId: string },
  start: (request: StartRequest) => Promise<Result<Run>>,
): Promise<void> {
  const { userId, chatId } = ended
  const next = store.waiting.next({ userId }, chatId)
  if (!next) return
  const started = await start(requestOf({ userId }, next))
  if (!started.ok) store.waiting.hold({ userId }, next.id, started.refusal.code === 'server_stopping' ? 'interrupted' : 'refused')
}

/** Between looking at the run and keeping the message nothing waits, so the run cannot end in between. */
function keep(
  { store, clock, ids }: WaitingParts,
  { userId, runId, text }: Words,
  draft: (run: Run) => Pick<WaitingMessage, 'delivery' | 'mode' | 'model'>,
): Result<WaitingMessage> {
  const owner = { userId }
  return store.transaction(() => {
    const run = store.runs.get(owner, runId)
    if (!run) return refuse('thing_unknown', { kind: 'run' })
    if (run.outcome) return refuse('run_already_ended', { status: run.status })
    if (store.waiting.list(owner, run.chatId).length >= mostWaiting) return refuse('waiting_full', { limit: mostWaiting })
    const { chatId } = run
    const message = { id: ids.next('message'), chatId, runId, text, held: null, createdAt: clock.now(), ...draft(run) }
    store.waiting.add(owner, message)
    return ok(message)
  })
}
