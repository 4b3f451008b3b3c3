/** Directories that a person added. The pin is what the directory was when it was added. */
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { projects } from '../schema/work.ts'

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

type Row = Omit<typeof projects.$inferSelect, 'userId' | 'demo'> & { readonly demo: 0 | 1 }

const columns = 'id, name, path, device, inode, demo, createdAt'

export function createProjects({ database }: StoreContext): Projects {
  const insert = database.prepare<[string, string, string, string, string, string, number, number]>(
    `INSERT INTO projects (id, userId, name, path, device, inode, demo, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (userId, path, device, inode) DO NOTHING`,
  )
  const atPath = database.prepare<[string, string, string, string], { name: string }>(
    'SELECT name FROM projects WHERE userId = ? AND path = ? AND device = ? AND inode = ?',
  )
  const byId = database.prepare<[string, string], Row>(`SELECT ${columns} FROM projects WHERE id = ? AND userId = ?`)
  const list = database.prepare<[string], Row>(
    `SELECT ${columns} FROM projects WHERE userId = ? ORDER BY createdAt DESC, id DESC`,
  )
  const active = database.prepare<[string], { n: number }>(
    "SELECT EXISTS (SELECT 1 FROM runs WHERE projectId = ? AND status IN ('queued', 'running')) AS n",
  )
  const remove = database.prepare<[string, string]>('DELETE FROM projects WHERE id = ? AND userId = ?')

  const get = (owner: Owner, projectId: string) => toProject(byId.get(projectId, owner.userId))

  return {
    create(owner, project) {
      const { id, name, path, device, inode, demo, createdAt } = project
      if (insert.run(id, owner.userId, name, path, device, inode, demo ? 1 : 0, createdAt) === 1) return ok(project)
      return refuse('project_path_taken', { name: atPath.get(owner.userId, path, device, inode)?.name, path })
    },
    get,
    list: (owner) => list.all(owner.userId).map(withFlag),
    remove: (owner, projectId) =>
      database.transaction(() => {
        const project = get(owner, projectId)
        if (project === null) return refuse('thing_unknown', { kind: 'project' })
        if (active.get(projectId)?.n === 1) return refuse('project_busy')
        remove.run(projectId, owner.userId)
        return ok(project)
      }),
  }
}

function toProject(row: Row | undefined): ProjectRecord | null {
  return row === undefined ? null : withFlag(row)
}

function withFlag(row: Row): ProjectRecord {
  return { ...row, demo: row.demo === 1 }
}
