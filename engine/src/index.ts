/** The engine's front door: what the server, the command line and the tests may use. */
export {
  historyFromBeats,
  type RunScope,
  runTurn,
  type TurnContext,
  type TurnEvent,
  type TurnInput,
  type TurnLimits,
} from './agents/index.ts'
export {
  createToolRegistry,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolManifestEntry,
  type ToolRegistry,
  type ToolResult,
} from './tools/index.ts'
