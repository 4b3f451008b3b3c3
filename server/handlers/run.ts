import type { Handlers, run } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { RunControl } from '../runs/index.ts'
import type { Chats, Runs, Waiting } from '../storage/index.ts'

export interface RunHandlerParts {
  readonly control: Pick<RunControl, 'start' | 'cancel' | 'steer' | 'queue' | 'startWaiting' | 'continueRun'>
  readonly runs: Pick<Runs, 'get' | 'list'>
  readonly chats: Pick<Chats, 'get'>
  readonly waiting: Pick<Waiting, 'list' | 'edit' | 'remove'>
  /** Made in `run-stream.ts`, which cannot reach what this file reaches. */
  readonly stream: Handlers<typeof run, CallContext>['stream']
}

export function createRunHandlers(parts: RunHandlerParts): Handlers<typeof run, CallContext> {
  const { control, runs, chats, waiting, stream } = parts
  return {
    start: async (context, input) => {
      const { userId } = callerOf(context)
      const started = await control.start({ ...input, userId, idempotencyKey: context.idempotencyKey })
      return started.ok ? ok({ run: started.value }) : started
    },
    list: async (context, filter) => {
      const { items, next } = runs.list(callerOf(context), filter)
      return ok({ runs: [...items], next })
    },
    get: async (context, { runId }) => {
      const found = runs.get(callerOf(context), runId)
      return found ? ok({ run: found }) : refuse('thing_unknown', { kind: 'run' })
    },
    stream,
    cancel: async (context, { runId }) => {
      const ended = await control.cancel(callerOf(context), runId)
      return ended.ok ? ok({ run: ended.value }) : ended
    },
    continue: async (context, { runId }) => {
      const { userId } = callerOf(context)
      const started = await control.continueRun({ userId, id: runId, idempotencyKey: context.idempotencyKey })
      return started.ok ? ok({ run: started.value }) : started
    },
    steer: async (context, words) => {
      const { userId } = callerOf(context)
      const kept = control.steer({ userId, ...words })
      return kept.ok ? ok({ message: kept.value }) : kept
    },
    queue: async (context, { prompt: text, ...rest }) => {
      const { userId } = callerOf(context)
      const kept = control.queue({ userId, text, ...rest })
      return kept.ok ? ok({ message: kept.value }) : kept
    },
    listWaiting: async (context, { chatId }) => {
      const owner = callerOf(context)
      if (!chats.get(owner, chatId)) return refuse('thing_unknown', { kind: 'chat' })
      return ok({ messages: [...waiting.list(owner, chatId)] })
    },
    editWaiting: async (context, { messageId, text }) => {
      const edited = waiting.edit(callerOf(context), messageId, text)
      return edited.ok ? ok({ message: edited.value }) : edited
    },
    removeWaiting: async (context, { messageId }) =>
      waiting.remove(callerOf(context), messageId) ? ok({}) : refuse('thing_unknown', { kind: 'waiting message' }),
    startWaiting: async (context, { messageId }) => {
      const { userId } = callerOf(context)
      const started = await control.startWaiting({ userId, id: messageId, idempotencyKey: context.idempotencyKey })
      return started.ok ? ok({ run: started.value }) : started
    },
  }
}
