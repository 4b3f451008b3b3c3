/** A run that only summarises: made when somebody asks, with the model that the chat used last. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Asked, RunParts, StartRequest } from './control.ts'

/** What stands in the thread for it; no model reads it. */
const prompt = 'Summarise the earlier turns of this chat.'

/**
 * The request for a run that summarises a chat. It changes nothing in the project, so it waits for nobody there.
 *
 * Refuses: thing_unknown, compaction_pointless for a chat in which nothing was said.
 */
export function compaction({ store }: Pick<RunParts, 'store'>, { userId, id, idempotencyKey }: Asked): Result<StartRequest> {
  const owner = { userId }
  if (!store.chats.get(owner, id)) return refuse('thing_unknown', { kind: 'chat' })
  const [newest] = store.runs.list(owner, { chatId: id, limit: 1 }).items
  if (!newest) return refuse('compaction_pointless')
  const { providerId, modelId } = newest.model
  const model = newest.fixture ? undefined : { providerId, modelId }
  return ok({ ...owner, chatId: id, prompt, mode: 'plan', model, idempotencyKey, task: 'compact' })
}
