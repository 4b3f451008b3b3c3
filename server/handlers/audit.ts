import type { audit, Handlers } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { type AuditBook, titleOf } from '../audit/index.ts'
import type { CallContext } from '../projection/index.ts'
import type { Store, StoredSecurityEvent } from '../storage/index.ts'

export interface AuditParts {
  readonly book: Pick<AuditBook, 'flush'>
  readonly store: Pick<Store, 'securityEvents' | 'users'>
}

export function createAuditHandlers({ book, store }: AuditParts): Handlers<typeof audit, CallContext> {
  const nameOf = (userId: string | null) => (userId === null ? null : (store.users.get(userId)?.username ?? userId))
  return {
    list: async (_context, request) => {
      await book.flush()
      const { items, next } = store.securityEvents.list(request)
      return ok({ events: items.map((row) => ({ ...describe(row), who: nameOf(row.userId) })), next })
    },
  }
}

function describe({ number, kind, minute, detail }: StoredSecurityEvent) {
  const told = { id: String(number), kind, title: titleOf(kind) }
  if (detail === null) {
    const where = 'This row was changed from outside; what it said does not open.'
    return { ...told, count: null, address: null, where, firstAt: minute, lastAt: minute }
  }
  const { count, firstAt, lastAt } = detail
  const address = detail.address === '' ? null : detail.address
  return { ...told, count, address, where: `${detail.method} ${detail.path}`.trim(), firstAt, lastAt }
}
