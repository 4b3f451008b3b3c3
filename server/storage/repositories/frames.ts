/** The frames of runs, for replay. */
import type { Frame } from '@bridlewise/shared/wire'
import type { Owner } from '../pages.ts'

export interface RunScope extends Owner {
  readonly runId: string
}

export interface Frames {
  /**
   * Contract: when it resolves the frames are durable. Frames and beats handed over in one tick of
   * the event loop share one commit. Numbers come from the feed; a number twice is a fault.
   */
  append(scope: RunScope, frames: readonly Frame[]): Promise<void>
  /** The same inside `store.transaction`, or as a commit of its own. */
  write(scope: RunScope, frames: readonly Frame[]): void
  /** Frames after number `after`, in order. Empty for a run that is not the owner's. */
  read(owner: Owner, runId: string, range: { readonly after: number; readonly limit: number }): readonly Frame[]
  /** 0 when there is none. */
  lastNumber(owner: Owner, runId: string): number
}
