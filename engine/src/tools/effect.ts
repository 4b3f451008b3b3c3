/** What a call changed outside the conversation. */
import type { FileDiff, Watched } from '@bridlewise/shared/wire'

/** A change outside the conversation that a call made. */
export type ToolEffect =
  | {
      readonly effect: 'file'
      readonly target: string
      readonly before: string | null
      readonly after: string | null
      readonly diff: FileDiff | null
      readonly change: FileDiff['change']
      /** Permission bits of the file that was there; null for one that was created. */
      readonly mode: number | null
    }
  | { readonly effect: 'process'; readonly target: string; readonly watched: Watched | null }
