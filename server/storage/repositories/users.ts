/** Accounts as rows. Who may see them is decided in `server/accounts`, their only caller. */
import type { Result } from '@bridlewise/shared/refusals'
import type { Owner } from '../pages.ts'

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
