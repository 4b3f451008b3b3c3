/** What the model can ask for, and how a call is judged and carried out. */
export {
  type BlockedTool,
  type Command,
  type Concern,
  defineTool,
  type RunnableTool,
  type Tool,
  type ToolCategory,
  type ToolContext,
  type ToolEffect,
  type ToolPolicy,
  type ToolResult,
} from './definition.ts'
export { createToolRegistry, type ToolManifestEntry, type ToolRegistry } from './registry.ts'
