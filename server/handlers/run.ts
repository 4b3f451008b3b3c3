import type { Handlers, run } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { RunControl } from '../runs/index.ts'
import type { Runs } from '../storage/index.ts'

export interface RunHandlerParts {
  readonly control: Pick<RunControl, 'start' | 'cancel'>
  readonly runs: Pick<Runs, 'get' | 'list'>
  /** Made in `run-stream.ts`, which cannot reach what this file reaches. */
  readonly stream: Handlers<typeof run, CallContext>['stream']
}

export function createRunHandlers({ control, runs, stream }: RunHandlerParts): Handlers<typeof run, CallContext> {
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
  }
}
