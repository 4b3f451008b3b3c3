/** A scenario: what the model says, what the project holds, and what must have happened afterwards. All of it data. */
import type { RefusalCode } from '@bridlewise/shared/refusals'
import type { BeatKind, Outcome, RunMode } from '@bridlewise/shared/wire'
import type { ScriptedAnswer } from '../agents/index.ts'
import type { ProcessTable } from './scripted-processes.ts'

export interface Scenario {
  readonly name: string
  /** What it shows, as a sentence. */
  readonly shows: string
  readonly mode?: RunMode
  readonly files?: Readonly<Record<string, string>>
  readonly answers: readonly ScriptedAnswer[]
  readonly processes?: ProcessTable
  /** The person stops the run at the first event of this kind. */
  readonly stopAt?: BeatKind | 'output'
  readonly expected: Expectation
}

interface Expectation {
  readonly outcome: Outcome['kind']
  /** Of a failed outcome. */
  readonly refusal?: RefusalCode
  /** The whole ledger, beat by beat, in the words of `describeBeat`. */
  readonly beats: readonly string[]
  /** What the files hold at the end; null for one that must not exist. */
  readonly files?: Readonly<Record<string, string | null>>
  /** Texts that the model must have been given to read. */
  readonly modelRead?: readonly string[]
}
