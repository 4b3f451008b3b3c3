/** Accounts as rows. Who may see them is decided in `server/accounts`, their only caller. */
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { users } from '../schema/accounts.ts'

export interface UserRecord {
  readonly id: string
  readonly username: string
  readonly role: 'admin' | 'member'
  /** Scrypt parameters, salt and hash in one line of text. */
  readonly password: string
  readonly createdAt: number
}

export interface Users {
  exist(): boolean
  /**
   * Contract: of any number of simultaneous callers one gets `ok`; the row decides.
   * Refuses: setup_done.
   */
  createFirst(user: UserRecord): Result<UserRecord>
  get(userId: string): UserRecord | null
  /** Case and Unicode spelling do not matter. */
  findByName(username: string): UserRecord | null
  setPassword(owner: Owner, password: string): void
}

type Row = typeof users.$inferSelect

export function createUsers({ database }: StoreContext): Users {
  const exist = database.prepare<[], { n: number }>('SELECT EXISTS (SELECT 1 FROM users) AS n')
  const insertFirst = database.prepare<[string, string, string, string, string, number]>(
    `INSERT INTO users (id, username, nameKey, role, password, createdAt)
     SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
  )
  const byId = database.prepare<[string], Row>('SELECT * FROM users WHERE id = ?')
  const byName = database.prepare<[string], Row>('SELECT * FROM users WHERE nameKey = ?')
  const setPassword = database.prepare<[string, string]>('UPDATE users SET password = ? WHERE id = ?')

  return {
    exist: () => exist.get()?.n === 1,
    createFirst(user) {
      const { id, username, role, password, createdAt } = user
      const made = insertFirst.run(id, username, keyOfName(username), role, password, createdAt)
      return made === 1 ? ok(user) : refuse('setup_done')
    },
    get: (userId) => toUser(byId.get(userId)),
    findByName: (username) => toUser(byName.get(keyOfName(username))),
    setPassword: (owner, password) => void setPassword.run(password, owner.userId),
  }
}

/** One key for every spelling that a person would call the same name. */
function keyOfName(username: string): string {
  return username.normalize('NFKC').toLowerCase()
}

function toUser(row: Row | undefined): UserRecord | null {
  if (row === undefined) return null
  const { nameKey: _, ...user } = row
  return user
}
