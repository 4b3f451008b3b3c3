/** What the registry says of a code. */

/** Who can change the outcome. */
export type Fixer = 'user' | 'operator' | 'model' | 'project'

/** Whether the same call can succeed: never, after something changed, or simply later. */
export type Retry = 'never' | 'after-change' | 'later'

export interface RefusalEntry {
  /** HTTP status on the wire. */
  readonly status: number
  readonly fix: Fixer
  readonly retry: Retry
  /** A sentence with `{name}` places: what happened and what to do. */
  readonly message: string
}
