/** The cockpit's state for every view below, and the way from one place to another. */
import { createContext } from 'svelte'
import { type Cockpit, formatRoute, type Route } from '../state/index.ts'

export const [useCockpit, provideCockpit] = createContext<Cockpit>()

/** Go to a place. The address is the truth: whoever listens to it draws the place. */
export function navigate(route: Route): void {
  location.hash = formatRoute(route)
}
