/** What was typed and not sent, one draft a chat, so that neither a reload nor a sign-in loses it. */
import type { BrowserStore } from '../client/index.ts'

export interface Drafts {
  read(place: DraftPlace): string
  write(place: DraftPlace, text: string): void
}

/** A chat's id, or the project in which a new chat would begin. */
export type DraftPlace = { readonly chatId: string } | { readonly newIn: string | null }

export function createDrafts(store: BrowserStore): Drafts {
  return {
    read: (place) => store.get(nameOf(place)) ?? '',
    write: (place, text) => (text === '' ? store.remove(nameOf(place)) : store.set(nameOf(place), text)),
  }
}

function nameOf(place: DraftPlace): string {
  return 'chatId' in place ? `draft.${place.chatId}` : `draft.new.${place.newIn ?? ''}`
}
