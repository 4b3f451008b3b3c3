/** Who else may use a project. Only its owner adds and ends shares; whoever has one may give it back. */
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import { keyOfName } from './users.ts'

export interface ShareRecord {
  readonly id: string
  /** As it was typed. Nothing here says whether somebody is called that. */
  readonly username: string
  readonly createdAt: number
}

export interface ShareDraft extends ShareRecord {
  readonly projectId: string
}

export interface Shares {
  /**
   * Share a project with whoever has that name now.
   *
   * Contract: the answer is the same whether or not there is such an account, and a name without one
   * gives nobody anything, also not who takes it later. A second share with the same name is the first.
   * Refuses: thing_unknown, project_shares_full.
   */
  add(owner: Owner, draft: ShareDraft): Result<ShareRecord>
  /** Oldest first. Refuses: thing_unknown. */
  list(owner: Owner, projectId: string): Result<readonly ShareRecord[]>
  /** Gives who lost the project, or null when there was nobody. Refuses: thing_unknown. */
  end(owner: Owner, share: { readonly projectId: string; readonly shareId: string }): Result<Owner | null>
  /** Ends every share of one project of the owner, or of all of them. */
  endAll(owner: Owner, projectId: string | null): void
  /** Refuses: thing_unknown, also to the owner. */
  leave(guest: Owner, projectId: string): Result<'left'>
}

/** With how many people one project is shared at most. */
export const sharesPerProject = 50

const columns = 'project_shares.id, username, project_shares.createdAt'
/** Places: project, owner. */
const ofOwner = 'projectId = (SELECT id FROM projects WHERE id = ? AND projects.userId = ?)'

export function createShares({ database }: StoreContext): Shares {
  const owned = database.prepare<[string, string], { id: string }>('SELECT id FROM projects WHERE id = ? AND userId = ?')
  const insert = database.prepare<[string, string, string, string, string, number]>(
    `INSERT INTO project_shares (id, projectId, username, nameKey, userId, createdAt)
     VALUES (?, ?, ?, ?, (SELECT id FROM users WHERE nameKey = ?), ?)
     ON CONFLICT (projectId, nameKey) DO UPDATE SET userId = excluded.userId`,
  )
  const byName = database.prepare<[string, string], ShareRecord>(
    `SELECT ${columns} FROM project_shares WHERE projectId = ? AND nameKey = ?`,
  )
  const list = database.prepare<[string, string], ShareRecord>(
    `SELECT ${columns} FROM project_shares WHERE ${ofOwner} ORDER BY createdAt, id`,
  )
  const byId = database.prepare<[string, string, string], { userId: string | null }>(
    `SELECT userId FROM project_shares WHERE ${ofOwner} AND id = ?`,
  )
  const end = database.prepare<[string]>('DELETE FROM project_shares WHERE id = ?')
  const endAll = database.prepare<[string, string]>(`DELETE FROM project_shares WHERE ${ofOwner}`)
  const endEverywhere = database.prepare<[string]>(
    'DELETE FROM project_shares WHERE projectId IN (SELECT id FROM projects WHERE projects.userId = ?)',
  )
  const leave = database.prepare<[string, string]>('DELETE FROM project_shares WHERE projectId = ? AND userId = ?')

  const isOwn = (owner: Owner, projectId: string) => owned.get(projectId, owner.userId) !== undefined

  return {
    add: (owner, { id, projectId, username, createdAt }) =>
      database.transaction(() => {
        if (!isOwn(owner, projectId)) return refuse('thing_unknown', { kind: 'project' })
        const key = keyOfName(username)
        if (byName.get(projectId, key) === undefined && list.all(projectId, owner.userId).length >= sharesPerProject)
          return refuse('project_shares_full', { limit: sharesPerProject })
        insert.run(id, projectId, username, key, key, createdAt)
        return ok(byName.get(projectId, key) ?? { id, username, createdAt })
      }),
    list: (owner, projectId) =>
      isOwn(owner, projectId) ? ok(list.all(projectId, owner.userId)) : refuse('thing_unknown', { kind: 'project' }),
    end: (owner, { projectId, shareId }) =>
      database.transaction(() => {
        const share = byId.get(projectId, owner.userId, shareId)
        if (share === undefined) return refuse('thing_unknown', { kind: 'share' })
        end.run(shareId)
        return ok(share.userId === null ? null : { userId: share.userId })
      }),
    endAll(owner, projectId) {
      if (projectId === null) endEverywhere.run(owner.userId)
      else endAll.run(projectId, owner.userId)
    },
    leave: (guest, projectId) =>
      leave.run(projectId, guest.userId) === 1 ? ok('left') : refuse('thing_unknown', { kind: 'project' }),
  }
}
