/** An account as everybody may know it. */
import type { User } from '@bridlewise/shared'
import type { UserRecord } from '../storage/index.ts'

export function toUser({ id, username, role, createdAt }: UserRecord): User {
  return { id, username, role, createdAt }
}
