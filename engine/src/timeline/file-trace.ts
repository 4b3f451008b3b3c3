/** What a stretch of a chat's record did to each file: what it held before, what was left in it, and by whom. */
import type { Beat, BeatPayload } from '@bridlewise/shared/wire'

export interface FileTrace {
  /** In normal form. */
  readonly path: string
  /** Digest of what it held before the first change, null when it was not there; `unknown` when nobody read it then. */
  readonly before: string | null | 'unknown'
  /** Permission bits it had then. */
  readonly mode: number | null
  /** Digest of what the last change left, null when it took the file away. */
  readonly after: string | null
  /** Whether somebody else changed it between two of the changes: then what is before the first is not all ours to undo. */
  readonly interrupted: boolean
}

export interface Trace {
  /** In the order in which they were first changed. */
  readonly files: readonly FileTrace[]
  /** Commands whose effects on files were looked for in part, or not at all. */
  readonly unwatched: readonly string[]
}

/** Contract: `beats` are of one chat, oldest first. What was taken back counts too: it did happen. */
export function traceFiles(beats: readonly Beat[]): Trace {
  const files = new Map<string, FileTrace>()
  const unwatched: string[] = []
  for (const beat of beats) {
    if (beat.kind === 'unknown') unwatched.push(`${beat.payload.headline.verb} ${beat.payload.headline.object}`)
    if (beat.kind !== 'effect') continue
    const { effect, target, watched } = beat.payload
    if (effect === 'file') files.set(target, follow(files.get(target), beat.payload))
    else if (!watched?.complete || watched.more > 0) unwatched.push(target)
  }
  return { files: [...files.values()], unwatched: [...new Set(unwatched)] }
}

function follow(earlier: FileTrace | undefined, effect: BeatPayload<'effect'>): FileTrace {
  const before = effect.before === null && effect.change === 'modified' ? 'unknown' : effect.before
  const { target: path, after, mode = null } = effect
  if (earlier === undefined) return { path, before, mode, after, interrupted: false }
  return { ...earlier, after, interrupted: earlier.interrupted || before !== earlier.after }
}
