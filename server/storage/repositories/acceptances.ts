/** Acceptances of the developer preview: who took which policy, and when. */

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
