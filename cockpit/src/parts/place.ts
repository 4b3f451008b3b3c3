/** Where a floating surface goes: beside its anchor, inside the window. */

export interface Box {
  readonly top: number
  readonly left: number
  readonly width: number
  readonly height: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

const gap = 4
const margin = 8

/**
 * Below the anchor if it fits or if there is more room there than above; aligned to its start or
 * end, then moved back inside the window. `most` is the height it may take.
 */
export function placeBeside(
  anchor: Box,
  surface: Size,
  window: Size & { readonly align: 'start' | 'end' },
): { readonly top: number; readonly left: number; readonly most: number } {
  const below = window.height - (anchor.top + anchor.height) - gap - margin
  const above = anchor.top - gap - margin
  const goesBelow = surface.height <= below || below >= above
  const most = Math.max(0, goesBelow ? below : above)
  const height = Math.min(surface.height, most)
  const wanted = window.align === 'start' ? anchor.left : anchor.left + anchor.width - surface.width
  const left = Math.max(margin, Math.min(wanted, window.width - surface.width - margin))
  return { top: goesBelow ? anchor.top + anchor.height + gap : anchor.top - gap - height, left, most }
}
