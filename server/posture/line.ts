/** How a line of the posture is written. */
import type { PostureLine } from '@bridlewise/shared'

/** Contract: `evidence` says what was measured, not what was meant; `remedy` is null when nothing is missing. */
export function line(
  area: PostureLine['area'],
  id: string,
  said: Pick<PostureLine, 'title' | 'state' | 'evidence'> & { readonly remedy?: string },
): PostureLine {
  const { title, state, evidence, remedy } = said
  return { id, area, title, state, evidence, remedy: state === 'enforced' ? null : (remedy ?? null) }
}
