/** Accounts as rows. Who may see and change them is decided in `server/accounts`, their only caller. */
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Erasure } from '../erasure.ts'
import type { Owner } from '../pages.ts'
import type { users } from '../schema/accounts.ts'

export type Role = 'admin' | 'member'

export interface UserDraft {
  readonly id: string
  readonly username: string
  readonly role: Role
  /** Scrypt parameters, salt and hash in one line of text. */
  readonly password: string
  readonly createdAt: number
}

export interface UserRecord extends UserDraft {
  /** Counts changes of password and role; what was allowed under another number is asked again. */
  readonly epoch: number
}

export interface Users {
  exist(): boolean
  /**
   * Contract: of any number of simultaneous callers one gets `ok`; the row decides.
   * Refuses: setup_done.
   */
  createFirst(user: UserDraft): Result<UserRecord>
  /** Refuses: username_taken, also for another case or Unicode spelling of a name. */
  create(user: UserDraft): Result<UserRecord>
  get(userId: string): UserRecord | null
  /** Case and Unicode spelling do not matter. */
  findByName(username: string): UserRecord | null
  /** Oldest first. */
  list(): readonly UserRecord[]
  /** The same password under today's cost: nobody has to sign in again. */
  renewPassword(owner: Owner, password: string): void
  /** Another password. */
  setPassword(owner: Owner, password: string): void
  /** Contract: the last administrator stays one; the row decides. Refuses: thing_unknown, last_admin. */
  setRole(userId: string, role: Role): Result<UserRecord>
  /** Whether `remove` would go through, runs aside. Refuses: thing_unknown, last_admin. */
  checkRemoval(userId: string): Result<UserRecord>
  /**
   * Contract: at once nothing leads to what the user owns, in any table; what there is much of is
   * erased in the steps that follow. The chain keeps the entries and still verifies. The last
   * administrator stays.
   * Refuses: thing_unknown, last_admin, user_busy while a run is active.
   */
  remove(userId: string): Result<'removed'>
}

type Row = typeof users.$inferSelect

export function createUsers({ database }: StoreContext, erasure: Erasure): Users {
  const exist = database.prepare<[], { n: number }>('SELECT EXISTS (SELECT 1 FROM users) AS n')
  const columns = 'id, username, nameKey, role, password, createdAt'
  const insertFirst = database.prepare<[string, string, string, string, string, number]>(
    `INSERT INTO users (${columns}) SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
  )
  const insert = database.prepare<[string, string, string, string, string, number]>(
    `INSERT INTO users (${columns}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (nameKey) DO NOTHING`,
  )
  const byId = database.prepare<[string], Row>('SELECT * FROM users WHERE id = ?')
  const byName = database.prepare<[string], Row>('SELECT * FROM users WHERE nameKey = ?')
  const list = database.prepare<[], Row>('SELECT * FROM users ORDER BY createdAt, id')
  const renewPassword = database.prepare<[string, string]>('UPDATE users SET password = ? WHERE id = ?')
  const setPassword = database.prepare<[string, string]>('UPDATE users SET password = ?, epoch = epoch + 1 WHERE id = ?')
  const setRole = database.prepare<[Role, string]>('UPDATE users SET role = ?, epoch = epoch + 1 WHERE id = ?')
  const otherAdmins = database.prepare<[string], { n: number }>(
    "SELECT count(*) AS n FROM users WHERE role = 'admin' AND id <> ?",
  )
  const active = database.prepare<[string], { n: number }>(
    "SELECT EXISTS (SELECT 1 FROM runs WHERE userId = ? AND status IN ('queued', 'running')) AS n",
  )
  const remove = database.prepare<[string]>('DELETE FROM users WHERE id = ?')
  // Others go with their chats.
  const removeProbes = database.prepare<[string]>('DELETE FROM departures WHERE userId = ? AND chatId IS NULL')

  const get = (userId: string) => toUser(byId.get(userId))
  const isLastAdmin = (user: UserRecord) => user.role === 'admin' && otherAdmins.get(user.id)?.n === 0

  function checkRemoval(userId: string): Result<UserRecord> {
    const user = get(userId)
    if (user === null) return refuse('thing_unknown', { kind: 'user' })
    return isLastAdmin(user) ? refuse('last_admin') : ok(user)
  }

  return {
    exist: () => exist.get()?.n === 1,
    createFirst(user) {
      const { id, username, role, password, createdAt } = user
      const made = insertFirst.run(id, username, keyOfName(username), role, password, createdAt)
      return made === 1 ? ok({ ...user, epoch: 0 }) : refuse('setup_done')
    },
    create(user) {
      const { id, username, role, password, createdAt } = user
      const made = insert.run(id, username, keyOfName(username), role, password, createdAt)
      return made === 1 ? ok({ ...user, epoch: 0 }) : refuse('username_taken', { username })
    },
    get,
    findByName: (username) => toUser(byName.get(keyOfName(username))),
    list: () => list.all().map(withoutKey),
    renewPassword: (owner, password) => void renewPassword.run(password, owner.userId),
    setPassword: (owner, password) => void setPassword.run(password, owner.userId),
    setRole: (userId, role) =>
      database.transaction(() => {
        const user = get(userId)
        if (user === null) return refuse('thing_unknown', { kind: 'user' })
        if (user.role === role) return ok(user)
        if (isLastAdmin(user)) return refuse('last_admin')
        setRole.run(role, userId)
        return ok({ ...user, role, epoch: user.epoch + 1 })
      }),
    checkRemoval,
    remove: (userId) =>
      database.transaction(() => {
        const removable = checkRemoval(userId)
        if (!removable.ok) return removable
        if (active.get(userId)?.n === 1) return refuse('user_busy')
        // Everything that belongs to the row goes with it; triggers note what else is to be erased.
        removeProbes.run(userId)
        remove.run(userId)
        erasure.begin()
        return ok('removed')
      }),
  }
}

/** One key for every spelling that a person would call the same name. */
export function keyOfName(username: string): string {
  return username.normalize('NFKC').toLowerCase()
}

function toUser(row: Row | undefined): UserRecord | null {
  return row === undefined ? null : withoutKey(row)
}

function withoutKey({ nameKey: _, ...user }: Row): UserRecord {
  return user
}
