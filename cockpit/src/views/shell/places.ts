/** The places of the cockpit: their names, marks and keys, in one list for navigation, palette and key map. */

import type { ServedBlock } from '@bridlewise/shared'
import type { LucideIcon } from '@lucide/svelte'
import Activity from '@lucide/svelte/icons/activity'
import Boxes from '@lucide/svelte/icons/boxes'
import Folder from '@lucide/svelte/icons/folder'
import LifeBuoy from '@lucide/svelte/icons/life-buoy'
import Plug from '@lucide/svelte/icons/plug'
import Send from '@lucide/svelte/icons/send'
import Settings from '@lucide/svelte/icons/settings'
import Shield from '@lucide/svelte/icons/shield'
import Wrench from '@lucide/svelte/icons/wrench'
import type { PlainPlace, Route } from '../../state/index.ts'

export interface Place {
  readonly id: string
  readonly title: string
  readonly icon: LucideIcon
  /** The letter after `g` that leads there. */
  readonly letter: string | null
  readonly route: Route
}

const plain = (place: PlainPlace, title: string, icon: LucideIcon, letter: string): Place => ({
  id: place,
  title,
  icon,
  letter,
  route: { place },
})

export const places: readonly Place[] = [
  plain('projects', 'Projects', Folder, 'p'),
  plain('providers', 'Providers', Plug, 'm'),
  plain('timeline', 'Timeline', Activity, 't'),
  { id: 'sent', title: 'What was sent', icon: Send, letter: 'w', route: { place: 'sent', runId: null } },
  plain('posture', 'Posture', Shield, 's'),
  plain('tools', 'Tools', Wrench, 'o'),
  plain('settings', 'Settings', Settings, ','),
]

/** Places for those who are served their block; nobody else sees them. */
export const servedPlaces: readonly Place[] = [
  { id: 'diagnostics', title: 'Diagnostics', icon: LifeBuoy, letter: null, route: { place: 'diagnostics' } },
]

/** Served blocks without a view get a place too; those that a view covers do not get a second one. */
export function placesOfBlocks(blocks: readonly ServedBlock[]): Place[] {
  const drawn = blocks
    .filter((block) => block.surface === 'generic' && block.id !== 'tool')
    .map((block) => ({
      id: block.id,
      title: block.title,
      icon: Boxes,
      letter: null,
      route: { place: 'block', blockId: block.id } as const,
    }))
  return [...drawn, ...servedPlaces.filter(({ id }) => blocks.some((block) => block.id === id))]
}
