/** What a tool is: one declaration from which manifest, model schema, gate and executor work. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { CallStatus, Capability, Details, DetailsKind, Headline, RunMode } from '@bridlewise/shared/wire'
import type { z } from 'zod'
import type { ReadLog, VersionLog } from '../editor/index.ts'
import type { Grants, ProcessOutcome } from '../kernel/index.ts'
import type { Workspace } from '../workspace/index.ts'
import type { ToolEffect } from './effect.ts'
import type { TreeWatch } from './tree-watch.ts'

type ToolCategory = 'files' | 'search' | 'command' | 'git' | 'task'

/** What happens on a call unless a rule says otherwise; `blocked` tools exist to say no with a reason. */
export type ToolPolicy = 'allow' | 'ask' | 'deny' | 'blocked'

/** What a tool may use while it runs. There is no other way to files or processes. */
export interface ToolContext {
  readonly mode: RunMode
  readonly workspace: Workspace
  /** Handed on to what needs one; a tool asks for none itself. */
  readonly grants: Grants
  /** What this run has read and written, by digest. */
  readonly readLog: ReadLog
  /** What this run keeps of the files it changes. */
  readonly versions: VersionLog
  /** What commands of this run do to the project. */
  readonly tree: TreeWatch
  /** Start a confined process in the project. Contract: that of `ProcessPort`. */
  readonly launch: (command: Command, signal: AbortSignal) => Promise<ProcessOutcome>
}

interface Command {
  readonly argv: readonly string[]
  /** `write` is narrowed to `read` in plan mode, and to the paths that may be changed, whatever the tool asks for. */
  readonly access: 'write' | 'read'
  readonly deadlineMs: number
  readonly outputLimit: number
  /** Show the output live while the process runs. */
  readonly live: 'shown' | 'hidden'
}

export interface ToolResult {
  readonly status: CallStatus
  /** A few words for the row: `214 lines`, `exit 1`, `+3 −1`. */
  readonly summary: string
  /** What the model reads. The executor bounds it. */
  readonly text: string
  readonly details: Details
  readonly effects: readonly ToolEffect[]
  readonly refusal: Refusal | null
  /** How to get what a bounded text leaves out. */
  readonly readOn?: string
}

/** A call that needs the person's word, and why. */
export interface Concern {
  /** What will be done, resolved, in words. */
  readonly effect: string
  readonly reason: string
}

interface ToolFacts<I> {
  readonly name: string
  /** One or two sentences for the model: every byte of it is sent with every request. */
  readonly description: string
  readonly category: ToolCategory
  readonly capability: Capability
  /** The kind of details its results have; a refused call has a `blocker` instead. */
  readonly renders: DetailsKind
  readonly input: z.ZodType<I>
  readonly headline: (input: I) => Headline
}

interface AdmissibleFacts<I> extends ToolFacts<I> {
  readonly policy: Exclude<ToolPolicy, 'blocked'>
  /** Present on a tool that changes things and yet may be used in plan mode, with read access. */
  readonly inPlanMode?: 'reads-only'
  /** Why this very call needs the person's word; null when it does not. */
  readonly concern?: (context: ToolContext, input: I) => Concern | null
}

export interface RunnableTool<I> extends AdmissibleFacts<I> {
  /** How long a call may take; 120 s unless said. */
  readonly deadlineMs?: (input: I) => number
  /**
   * Do it.
   *
   * Contract: expected noes come back as a result; only a bug is thrown. Stops soon after `signal`
   * aborts and then says what is known of its effects.
   */
  readonly run: (context: ToolContext, input: I, signal: AbortSignal) => Promise<ToolResult>
}

/** A tool whose calls another turn carries out: a child of the one that called it. */
export interface DelegatingTool<I> extends AdmissibleFacts<I> {
  readonly delegation: (input: I) => Delegation
}

/** What the model asks a child to do, and with what; it gets no more than there is to give. */
export interface Delegation {
  readonly task: string
  /** Names; all that there are unless said. */
  readonly tools?: readonly string[] | undefined
  /** What it may change, as the model wrote it; none for a child that only reads. */
  readonly paths: readonly string[]
  readonly budget: {
    readonly requests?: number | undefined
    readonly minutes?: number | undefined
    readonly tokens?: number | undefined
    readonly dollars?: number | undefined
  }
}

export interface BlockedTool<I> extends ToolFacts<I> {
  readonly policy: 'blocked'
  /** What is left to the person, as the subject of a sentence: `A commit`. */
  readonly action: string
}

/** A tool that the gate may admit. */
export type AdmissibleTool = RunnableTool<unknown> | DelegatingTool<unknown>

/** A tool whose input type is its own business, as the registry holds it. */
export type Tool = AdmissibleTool | BlockedTool<unknown>

/** Declare a tool. `run` and the others get the input as its schema has parsed it. */
export function defineTool<I>(tool: RunnableTool<I> | DelegatingTool<I> | BlockedTool<I>): Tool {
  // The registry hands every tool only what its own schema gave back, so forgetting `I` is sound.
  return tool as Tool
}

export function isDelegating(tool: Tool | undefined): tool is DelegatingTool<unknown> {
  return tool !== undefined && 'delegation' in tool
}
