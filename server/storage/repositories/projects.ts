/** Directories that a person added, or that somebody shares with them. The pin is what the directory was when it was added. */
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Erasure } from '../erasure.ts'
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

/** A project as one of its people sees it. */
export interface ReachedProject extends ProjectRecord {
  /** The name of whoever shares it; null for one's own. */
  readonly sharedBy: string | null
  /** With how many people its owner shares it; 0 for a guest. */
  readonly sharedWith: number
}

/** What goes for good with a project, counted. */
export interface ProjectContents {
  readonly chats: number
  readonly runs: number
  readonly shares: number
}

export interface Projects {
  /** Refuses: project_path_taken, when the owner has this very directory at this path already. */
  create(owner: Owner, project: ProjectRecord): Result<ProjectRecord>
  /** One's own, and nobody else's: for what only an owner may do. */
  get(owner: Owner, projectId: string): ProjectRecord | null
  /** One's own, or one that is shared with them at this moment: for what a guest may do. */
  reach(member: Owner, projectId: string): ReachedProject | null
  /** All that can be reached, newest first. */
  list(member: Owner): readonly ReachedProject[]
  /** Refuses: thing_unknown. */
  contents(owner: Owner, projectId: string): Result<ProjectContents>
  /** Active runs that others have in the projects of the owner. */
  listGuestRuns(owner: Owner): readonly GuestRun[]
  /** Whether somebody else has added the same directory. */
  isAddedByOthers(owner: Owner, project: ProjectRecord): boolean
  /**
   * Contract: the owner's chats that belong to it or had a run in it go as `Chats.remove` has it. Nobody
   * shares it any more; the chats of others stay theirs and lose the project.
   * Refuses: thing_unknown, project_busy while any run works in it or in such a chat.
   */
  remove(owner: Owner, projectId: string): Result<ProjectRecord>
}

/** A run of somebody in a project that is not theirs. */
export interface GuestRun extends Owner {
  readonly runId: string
  readonly projectId: string
}

type Row = Omit<typeof projects.$inferSelect, 'userId' | 'demo'> & { readonly demo: 0 | 1 }

const columns = ['id', 'name', 'path', 'device', 'inode', 'demo', 'createdAt'].map((name) => `projects.${name}`).join(', ')

/** With one place for whoever asks, before and after. */
const reachable = `SELECT ${columns},
    CASE WHEN projects.userId = asking.id THEN NULL ELSE users.username END AS sharedBy,
    CASE WHEN projects.userId = asking.id THEN (SELECT count(*) FROM project_shares WHERE projectId = projects.id) ELSE 0 END AS sharedWith
  FROM projects JOIN users ON users.id = projects.userId JOIN users AS asking ON asking.id = ?
  WHERE (projects.userId = asking.id
    OR EXISTS (SELECT 1 FROM project_shares WHERE projectId = projects.id AND project_shares.userId = asking.id))`

/** The owner’s chats that belong to a project or had a run in it. Places: project, project, owner. */
const chatsOf = `SELECT id FROM chats WHERE (projectId = ? OR id IN (SELECT chatId FROM runs WHERE projectId = ?)) AND userId = ?`

export function createProjects({ database }: StoreContext, erasure: Erasure): Projects {
  const insert = database.prepare<[string, string, string, string, string, string, number, number]>(
    `INSERT INTO projects (id, userId, name, path, device, inode, demo, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (userId, path, device, inode) DO NOTHING`,
  )
  const atPath = database.prepare<[string, string, string, string], { name: string }>(
    'SELECT name FROM projects WHERE userId = ? AND path = ? AND device = ? AND inode = ?',
  )
  const byId = database.prepare<[string, string], Row>(`SELECT ${columns} FROM projects WHERE id = ? AND userId = ?`)
  const reach = database.prepare<[string, string], Reached>(`${reachable} AND projects.id = ?`)
  const list = database.prepare<[string], Reached>(`${reachable} ORDER BY projects.createdAt DESC, projects.id DESC`)
  const count = database.prepare<[string, string, string, string], ProjectContents>(
    `WITH gone AS (${chatsOf})
     SELECT (SELECT count(*) FROM gone) AS chats,
       (SELECT count(*) FROM runs WHERE chatId IN gone) AS runs,
       (SELECT count(*) FROM project_shares WHERE projectId = ?) AS shares`,
  )
  const guestRuns = database.prepare<[string], GuestRun>(
    `SELECT runs.userId, runs.id AS runId, projectId FROM runs JOIN projects ON projects.id = projectId
     WHERE projects.userId = ? AND runs.userId <> projects.userId AND status IN ('queued', 'running')`,
  )
  const elsewhere = database.prepare<[string, string, string], { n: number }>(
    'SELECT EXISTS (SELECT 1 FROM projects WHERE device = ? AND inode = ? AND userId <> ?) AS n',
  )
  const active = database.prepare<[string, string, string, string], { n: number }>(
    `SELECT EXISTS (SELECT 1 FROM runs WHERE status IN ('queued', 'running')
       AND (projectId = ? OR chatId IN (${chatsOf}))) AS n`,
  )
  const removeChats = database.prepare<[string, string, string]>(`DELETE FROM chats WHERE id IN (${chatsOf})`)
  const remove = database.prepare<[string, string]>('DELETE FROM projects WHERE id = ? AND userId = ?')

  const get = (owner: Owner, projectId: string) => toProject(byId.get(projectId, owner.userId))

  return {
    create(owner, project) {
      const { id, name, path, device, inode, demo, createdAt } = project
      if (insert.run(id, owner.userId, name, path, device, inode, demo ? 1 : 0, createdAt) === 1) return ok(project)
      return refuse('project_path_taken', { name: atPath.get(owner.userId, path, device, inode)?.name, path })
    },
    get,
    reach(member, projectId) {
      const row = reach.get(member.userId, projectId)
      return row === undefined ? null : withFlag(row)
    },
    list: (member) => list.all(member.userId).map(withFlag),
    contents(owner, projectId) {
      const counted = get(owner, projectId) && count.get(projectId, projectId, owner.userId, projectId)
      return counted ? ok(counted) : refuse('thing_unknown', { kind: 'project' })
    },
    listGuestRuns: (owner) => guestRuns.all(owner.userId),
    isAddedByOthers: (owner, { device, inode }) => elsewhere.get(device, inode, owner.userId)?.n === 1,
    remove: (owner, projectId) =>
      database.transaction(() => {
        const project = get(owner, projectId)
        if (project === null) return refuse('thing_unknown', { kind: 'project' })
        const { userId } = owner
        if (active.get(projectId, projectId, projectId, userId)?.n === 1) return refuse('project_busy')
        // Runs and claims go with the chats, shares with the project; triggers note what else is to be erased.
        removeChats.run(projectId, projectId, userId)
        remove.run(projectId, userId)
        erasure.begin()
        return ok(project)
      }),
  }
}

type Reached = Row & Pick<ReachedProject, 'sharedBy' | 'sharedWith'>

function toProject(row: Row | undefined): ProjectRecord | null {
  return row === undefined ? null : withFlag(row)
}

function withFlag<R extends Row>(row: R): Omit<R, 'demo'> & { readonly demo: boolean } {
  return { ...row, demo: row.demo === 1 }
}
