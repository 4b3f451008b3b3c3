/** How deep entries stand: those of a child one further in than those of the turn that gave it its task. */
import type { Beat } from '@bridlewise/shared/wire'

/** No child stands deeper; a list that says otherwise is not followed for ever. */
const deepest = 8

/** From entry to depth. Where the entry of a call is not in the list, its child is taken for a child of the run. */
export function readDepths(beats: readonly Beat[]): ReadonlyMap<string, number> {
  const above = new Map(beats.flatMap((beat) => (beat.kind === 'call' ? [[beat.payload.callId, beat.within] as const] : [])))
  const depths = beats.map(({ id, within }) => {
    let depth = 0
    for (let at = within; at !== undefined && depth < deepest; at = above.get(at)) depth += 1
    return [id, depth] as const
  })
  return new Map(depths)
}
