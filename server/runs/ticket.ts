/** A run that may be executed: everything that was resolved before it existed, and what it is called in the record. */
import type { Grants } from '@bridlewise/engine'
import type { ModelChoice, Run } from '@bridlewise/shared/wire'
import type { Endpoint } from '../llm/bridge.ts'
import type { BeatScope, Tree } from '../storage/index.ts'

export interface Ticket extends Resolved {
  readonly scope: RunBeatScope
  readonly run: Run
  readonly prompt: string
  readonly messageId: string
  readonly continues: Continued | null
  readonly task: 'answer' | 'compact'
}

/** The scope of a run's beats and frames: a run always has a chat. */
export interface RunBeatScope extends BeatScope {
  readonly runId: string
  readonly chatId: string
}

export interface Resolved {
  readonly grants: Grants
  readonly model: Run['model']
  readonly fixture: boolean
  readonly endpoint: Endpoint
  /** Who writes titles and summaries, where that is another model. */
  readonly small: SmallModel | null
  readonly chatId: string | null
  readonly project: RunProject | null
}

export interface SmallModel {
  readonly choice: ModelChoice
  readonly endpoint: Endpoint
}

export interface RunProject {
  readonly id: string
  readonly name: string
  /** Absolute, and the directory that was pinned when the project was added. */
  readonly root: string
  /** The directory itself and those above it, for the writer lease. */
  readonly tree: Tree
}

/** The run that another one goes on with, and the beat of its end. */
export interface Continued {
  readonly runId: string
  readonly endId: string
}
