/** Directories that a person added. The pin is what the directory was when it was added. */
import type { Result } from '@bridlewise/shared/refusals'
import type { Owner } from '../pages.ts'

export interface ProjectRecord {
  readonly id: string
  readonly name: string
  /** Absolute, links resolved. */
  readonly path: string
  /** Device and inode as decimal text: both exceed what a JavaScript number holds exactly. */
  readonly device: string
  readonly inode: string
  readonly demo: boolean
  readonly createdAt: number
}

export interface Projects {
  /** Refuses: project_path_taken, when the owner has this very directory at this path already. */
  create(owner: Owner, project: ProjectRecord): Result<ProjectRecord>
  get(owner: Owner, projectId: string): ProjectRecord | null
  /** Newest first. */
  list(owner: Owner): readonly ProjectRecord[]
  /** Chats and runs stay and lose their project. Refuses: thing_unknown, project_busy. */
  remove(owner: Owner, projectId: string): Result<ProjectRecord>
}
