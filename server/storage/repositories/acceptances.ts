/** Acceptances of the developer preview: who took which policy, and when. */
import type { StoreContext } from '../context.ts'

export interface Acceptance {
  readonly policyDigest: string
  readonly acceptedBy: string
  readonly acceptedAt: number
}

export interface Acceptances {
  record(acceptance: Acceptance): void
  /** The newest, or null before setup. */
  latest(): Acceptance | null
}

export function createAcceptances({ database }: StoreContext): Acceptances {
  const insert = database.prepare<[string, string, number]>(
    'INSERT INTO acceptances (policyDigest, acceptedBy, acceptedAt) VALUES (?, ?, ?)',
  )
  const latest = database.prepare<[], Acceptance>(
    'SELECT policyDigest, acceptedBy, acceptedAt FROM acceptances ORDER BY number DESC LIMIT 1',
  )

  return {
    record: ({ policyDigest, acceptedBy, acceptedAt }) => void insert.run(policyDigest, acceptedBy, acceptedAt),
    latest: () => latest.get() ?? null,
  }
}
