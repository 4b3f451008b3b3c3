/** What was measured about this host before anything is started on it. */
import type { Refusal } from '@bridlewise/shared/refusals'

/** Contract: every line of it was tried on this host, in this process's lifetime. */
export type GuardianProbe = ReadyHost | { readonly state: 'refused'; readonly refusal: Refusal; readonly measuredAt: number }

export interface ReadyHost {
  readonly state: 'ready'
  /** Landlock ABI of the kernel. */
  readonly abi: number
  /** What will hold around every command. */
  readonly layers: readonly string[]
  /** What this host refuses, and the error it gave. */
  readonly missing: readonly { readonly layer: string; readonly reason: string }[]
  /** What no layer covers here. */
  readonly notCovered: readonly string[]
  /** `off`: nothing leaves. `partly`: TCP is denied, other ways are open. */
  readonly network: 'off' | 'partly'
  readonly measuredAt: number
}
