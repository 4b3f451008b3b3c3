/** What the model can ask for, and how a call is judged and carried out. */
export { aborted, raceAbort } from './abort.ts'
export { keepEnds, keepHead } from './bound.ts'
export { builtinTools } from './builtin/index.ts'
export {
  type AdmissibleTool,
  type DelegatingTool,
  type Delegation,
  defineTool,
  isDelegating,
  type RunnableTool,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './definition.ts'
export type { ToolEffect } from './effect.ts'
export {
  type AdmittedCall,
  authoriseCall,
  defaultDeadlineMs,
  type ExecutedCall,
  type ExecutorContext,
  executeCall,
  type OnOutput,
} from './executor.ts'
export { judgeCall } from './gate.ts'
export { toolLimits } from './limits.ts'
export { createLoopWatch, type LoopWatch } from './loop.ts'
export { createToolRegistry, type ToolManifestEntry, type ToolRegistry } from './registry.ts'
export { createTreeWatch } from './tree-watch.ts'
