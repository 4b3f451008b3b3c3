import type { ToolRegistry } from '@bridlewise/engine'
import type { Handlers, tool } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import type { CallContext } from '../projection/index.ts'

export function createToolHandlers(deps: { readonly tools: ToolRegistry }): Handlers<typeof tool, CallContext> {
  return { list: async () => ok({ tools: deps.tools.manifest() }) }
}
