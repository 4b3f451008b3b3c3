/** What an edit asks for, what it needs, and what it gives back. */
import type { FileDiff } from '@bridlewise/shared/wire'
import type { Grants } from '../kernel/index.ts'
import type { Workspace } from '../workspace/index.ts'
import type { ReadLog } from './read-log.ts'
import type { VersionLog } from './version-log.ts'

/** Replace text that stands in a file exactly, line ends aside. */
export interface ReplaceEdit {
  readonly kind: 'replace'
  readonly path: string
  readonly oldText: string
  readonly newText: string
  /** How many places are replaced; one, unless said. Any other number of matches is refused, but for `every`. */
  readonly occurrences?: number | 'every'
}

/** Create a file that is not there, with the directories it needs. */
export interface CreateEdit {
  readonly kind: 'create'
  readonly path: string
  readonly text: string
}

export type Edit = ReplaceEdit | CreateEdit

export interface EditContext {
  readonly workspace: Workspace
  readonly readLog: ReadLog
  /** Told of each content before it goes, and of what came in its place. */
  readonly versions: VersionLog
  readonly grants: Grants
}

export interface EditedFile {
  /** In normal form. */
  readonly path: string
  /** SHA-256 of the bytes before, null when the file was created. */
  readonly before: string | null
  readonly after: string
  /** Permission bits before, null when the file was created. */
  readonly mode: number | null
  readonly diff: FileDiff
}

export interface EditOutcome {
  /** In the order in which the edits first named them. */
  readonly files: readonly EditedFile[]
}
