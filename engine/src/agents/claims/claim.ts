/** The kinds of claim that a sentence can make. */
import type { CheckKind } from './commands.ts'

export type Claim =
  /** A kind of check is said to be green. */
  | { readonly kind: 'check'; readonly checks: readonly CheckKind[] }
  /** Numbers of tests are given; null for a number that is not. */
  | { readonly kind: 'count'; readonly passed: number | null; readonly failed: number | null; readonly total: number | null }
  /** Files or code are said to be changed; `paths` as far as they are named. */
  | { readonly kind: 'change'; readonly paths: readonly string[] }
  /** Something is said to have been run; `commands` as far as they are quoted, `git` where only one command of it does that. */
  | { readonly kind: 'run'; readonly commands: readonly string[]; readonly git?: 'commit' | 'push' }
  /** Something is said to have been looked at or verified. */
  | { readonly kind: 'look'; readonly verified: boolean }
  /** The work is said to be done. */
  | { readonly kind: 'done' }

export type Count = Extract<Claim, { kind: 'count' }>
