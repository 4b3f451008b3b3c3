/** Who pays for a turn: asked before each request, told what came of it. */
import type { Result } from '@bridlewise/shared/refusals'
import type { Charge, ModelRequest, Usage } from '@bridlewise/shared/wire'

export interface Purse {
  /**
   * Ask for one more request.
   *
   * Contract: answers at once. What it admits is held until it is released, so that no two runs spend the same.
   * Refuses: budget_exceeded, price_unknown.
   */
  admit(request: ModelRequest): Result<Allowance>
  /**
   * A purse of its own within this one.
   *
   * Contract: it admits nothing that this one does not, nor more than `most` in all; what is charged to
   * it is charged to this one.
   */
  cut(most: PurseLimit): Purse
}

/** Null: as much as there is. */
export interface PurseLimit {
  readonly tokens: number | null
  /** Billionths of a US dollar. */
  readonly nanos: number | null
}

export interface Allowance {
  /** What the request came to. Contract: asked at most once, and recorded before the release. */
  charge(answered: Answered): Charge
  /** Give back what is held. Contract: it may be called when nothing was sent. */
  release(): void
}

export interface Answered {
  readonly usage: Usage | null
  /** UTF-16 units of text, reasoning and arguments that came. */
  readonly received: number
  /** The endpoint refused or broke, so that what did not come is not billed. */
  readonly failed: boolean
}
