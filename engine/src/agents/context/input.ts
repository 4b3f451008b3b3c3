/** What bears on what a model is given to read, beside the words of the chat. */
import type { FileLines, InstructionFile, ItemPlace, Profile } from '@bridlewise/shared/wire'

export interface ContextInput {
  /** What the model takes, in tokens; null when nobody knows. */
  readonly window: number | null
  /** What estimates are multiplied with, as this endpoint and model reported before. */
  readonly correction: number
  /** What the person pinned as the goal of the chat: it is sent with every request. */
  readonly goal: string | null
  /** The person's own instructions, which hold in every project. */
  readonly ownInstructions: { readonly path: string; readonly text: string } | null
  /** Whether the instruction files of the project are read. */
  readonly projectInstructions: 'read' | 'left_out'
  /** Where the person's message of this turn stands in the ledger. */
  readonly promptSeq: number | null
  /** Files that earlier turns changed, in the order they were first changed. */
  readonly files: readonly string[]
  /** Messages that an endpoint refused: a placeholder is sent for each. */
  readonly quarantined: readonly QuarantinedItem[]
  /** Whether the model wants its reasoning back. */
  readonly reasoningBack: Profile['reasoning']['back']
  /** `compact`: nothing is asked of the model but a summary of what was said. */
  readonly task: 'answer' | 'compact'
}

export interface QuarantinedItem extends ItemPlace {
  /** What it is called where a person decides about it. */
  readonly label: string
}

export const usualContext: ContextInput = {
  window: null,
  correction: 1,
  goal: null,
  ownInstructions: null,
  projectInstructions: 'read',
  promptSeq: null,
  files: [],
  quarantined: [],
  reasoningBack: 'strip',
  task: 'answer',
}

/** An instruction file with what of it is sent. */
export interface Instruction extends InstructionFile {
  readonly text: string
  /** What of the project's files it is; null for the person's own. */
  readonly origin: FileLines | null
}
