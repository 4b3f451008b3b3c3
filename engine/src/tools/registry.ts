/** The one registry: what exists, what the model is told of, what the manifest shows. */
import type { Capability, DetailsKind, RunMode, ToolSchema } from '@bridlewise/shared/wire'
import { z } from 'zod'
import type { Tool, ToolPolicy } from './definition.ts'

/** A tool as anyone may see it; `input` is a JSON Schema. */
export interface ToolManifestEntry {
  readonly name: string
  readonly description: string
  readonly category: string
  readonly capability: Capability
  readonly policy: ToolPolicy
  readonly renders: DetailsKind
  readonly input: Record<string, unknown>
}

export interface ToolRegistry {
  find(name: string): Tool | undefined
  manifest(): ToolManifestEntry[]
  /** The tools a model is told of, always in the same order so that provider caches hit. */
  forModel(mode: RunMode): ToolSchema[]
  /** The same without the tools that `keep` does not name. Contract: nothing is added. */
  only(keep: (tool: Tool) => boolean): ToolRegistry
}

/**
 * Put tools into one registry.
 *
 * Contract: a name stands for one tool; two of the same name are a fault at start, not a surprise
 * during a run.
 */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are named ${tool.name}`)
    byName.set(tool.name, tool)
  }
  const entries = tools.map(describeTool)
  return {
    find: (name) => byName.get(name),
    manifest: () => entries.slice(),
    forModel: (mode) =>
      tools.flatMap((tool, at) => {
        const entry = entries[at]
        if (!entry || !isUsableIn(tool, mode)) return []
        return [{ name: entry.name, description: entry.description, parameters: entry.input }]
      }),
    only: (keep) => createToolRegistry(tools.filter(keep)),
  }
}

/** Plan mode is really read-only: what changes things is not there, or works with read access. */
export function isUsableIn(tool: Tool, mode: RunMode): boolean {
  if (mode === 'act' || tool.capability === 'read') return true
  return tool.policy !== 'blocked' && tool.inPlanMode === 'reads-only'
}

function describeTool(tool: Tool): ToolManifestEntry {
  const { name, description, category, capability, policy, renders } = tool
  return { name, description, category, capability, policy, renders, input: leanSchema(tool.input) }
}

/** The schema without the parts that say nothing: every byte of it is sent with every request. */
function leanSchema(input: z.ZodType): Record<string, unknown> {
  const schema = z.toJSONSchema(input, { target: 'draft-7', io: 'input' })
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === '$schema' || value === Number.MAX_SAFE_INTEGER ? undefined : value)),
  )
}
