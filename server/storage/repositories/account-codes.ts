/** One-time codes that an administrator made: to join, or to set a new password. The database holds SHA-256 of each. */
import type { StoreContext } from '../context.ts'

/** What a code is good for. */
export type CodePurpose =
  | { readonly kind: 'invite'; readonly role: 'admin' | 'member' }
  | { readonly kind: 'reset'; readonly userId: string }

export interface CodeRecord {
  readonly id: string
  readonly purpose: CodePurpose
  readonly madeBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface AccountCodes {
  create(code: CodeRecord & { readonly hash: Buffer }): void
  findByHash(hash: Buffer): CodeRecord | null
  /** Contract: of any number of callers for one code one gets true; the row decides, and is gone then. */
  take(codeId: string): boolean
  /** Invites that nobody has used, newest first. */
  listInvites(): readonly CodeRecord[]
  /** A new reset code makes the earlier ones of the user worthless. */
  removeResets(userId: string): void
  removeExpired(now: number): void
}

interface Row {
  readonly id: string
  readonly kind: 'invite' | 'reset'
  readonly role: 'admin' | 'member' | null
  readonly userId: string | null
  readonly madeBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

export function createAccountCodes({ database }: StoreContext): AccountCodes {
  const insert = database.prepare<[string, string, Buffer, string, string | null, string | null, number, number]>(
    'INSERT INTO account_codes (id, kind, hash, madeBy, role, userId, createdAt, expiresAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const byHash = database.prepare<[Buffer], Row>('SELECT * FROM account_codes WHERE hash = ?')
  const take = database.prepare<[string]>('DELETE FROM account_codes WHERE id = ?')
  const invites = database.prepare<[], Row>("SELECT * FROM account_codes WHERE kind = 'invite' ORDER BY createdAt DESC, id DESC")
  const removeResets = database.prepare<[string]>("DELETE FROM account_codes WHERE kind = 'reset' AND userId = ?")
  const removeExpired = database.prepare<[number]>('DELETE FROM account_codes WHERE expiresAt <= ?')

  return {
    create({ id, purpose, hash, madeBy, createdAt, expiresAt }) {
      const role = purpose.kind === 'invite' ? purpose.role : null
      const userId = purpose.kind === 'reset' ? purpose.userId : null
      insert.run(id, purpose.kind, hash, madeBy, role, userId, createdAt, expiresAt)
    },
    findByHash(hash) {
      const row = byHash.get(hash)
      return row === undefined ? null : toCode(row)
    },
    take: (codeId) => take.run(codeId) === 1,
    listInvites: () => invites.all().map(toCode),
    removeResets: (userId) => void removeResets.run(userId),
    removeExpired: (now) => void removeExpired.run(now),
  }
}

function toCode({ id, kind, role, userId, madeBy, createdAt, expiresAt }: Row): CodeRecord {
  const purpose: CodePurpose = kind === 'invite' ? { kind, role: role ?? 'member' } : { kind, userId: userId ?? '' }
  return { id, purpose, madeBy, createdAt, expiresAt }
}
