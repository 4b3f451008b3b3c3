import type { BlockList, Handlers, ui } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { type CallContext, callerOf, servedSchema } from '../projection/index.ts'

export function createUiHandlers(deps: {
  readonly blocks: BlockList
  readonly version: string
}): Handlers<typeof ui, CallContext> {
  return {
    schema: async (context) => ok({ version: deps.version, blocks: [...servedSchema(deps.blocks, callerOf(context).role)] }),
  }
}
