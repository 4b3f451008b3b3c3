/** Where a person wants to see each request before it leaves: in projects, and in single chats. */
import type { Owner, Store } from '../storage/index.ts'

export interface HeldPlaces {
  readonly projects: readonly string[]
  readonly chats: readonly string[]
}

export interface Place {
  readonly projectId: string | null
  readonly chatId: string | null
}

type PlacesStore = Pick<Store, 'settings' | 'projects' | 'chats'>

const none: HeldPlaces = { projects: [], chats: [] }

export function readHeldPlaces({ settings }: Pick<Store, 'settings'>, owner: Owner): HeldPlaces {
  return settings.get(owner, 'held') ?? none
}

/** Contract: asked before each request, so that a change counts from the next one on. */
export function isHeld(store: Pick<Store, 'settings'>, owner: Owner, { projectId, chatId }: Place): boolean {
  const { projects, chats } = readHeldPlaces(store, owner)
  return (projectId !== null && projects.includes(projectId)) || (chatId !== null && chats.includes(chatId))
}

/** Contract: whoever calls has seen that the place is the owner's. Places that are gone are forgotten on the way. */
export function holdPlace(
  store: PlacesStore,
  owner: Owner,
  { place, held }: { readonly place: Place; readonly held: boolean },
): HeldPlaces {
  const { projects, chats } = readHeldPlaces(store, owner)
  const change = (ids: readonly string[], id: string | null, isThere: (id: string) => boolean) =>
    [...ids.filter((known) => known !== id), ...(held && id !== null ? [id] : [])].filter(isThere)
  const places: HeldPlaces = {
    projects: change(projects, place.projectId, (id) => store.projects.reach(owner, id) !== undefined),
    chats: change(chats, place.chatId, (id) => store.chats.get(owner, id) !== undefined),
  }
  store.settings.set(owner, 'held', places)
  return places
}
