/** Places of the cockpit, as the part of the address after `#`. */
export type Route =
  | { readonly place: 'chat'; readonly chatId: string }
  | { readonly place: 'new'; readonly projectId: string | null }
  | { readonly place: 'block'; readonly blockId: string }
  /** What left for models; of one run unless `runId` is null. */
  | { readonly place: 'sent'; readonly runId: string | null }
  /** Joining with an invite, or setting a new password with a reset code. */
  | { readonly place: 'code' }
  | { readonly place: PlainPlace }

const plainPlaces = ['projects', 'providers', 'timeline', 'posture', 'diagnostics', 'tools', 'settings'] as const
export type PlainPlace = (typeof plainPlaces)[number]

/** Read an address. Contract: never fails; what is not a place is the new chat. */
export function parseRoute(hash: string): Route {
  const [place = '', ...rest] = hash.replace(/^#?\/?/, '').split('/')
  const name = readPart(rest.join('/'))
  if (place === 'chat' && name) return { place, chatId: name }
  if (place === 'block' && name) return { place, blockId: name }
  if (place === 'sent') return { place, runId: name || null }
  if (place === 'code') return { place }
  const plain = plainPlaces.find((known) => known === place)
  if (plain) return { place: plain }
  return { place: 'new', projectId: place === 'new' && name ? name : null }
}

export function formatRoute(route: Route): string {
  switch (route.place) {
    case 'chat':
      return `#/chat/${encodeURIComponent(route.chatId)}`
    case 'block':
      return `#/block/${encodeURIComponent(route.blockId)}`
    case 'sent':
      return route.runId ? `#/sent/${encodeURIComponent(route.runId)}` : '#/sent'
    case 'new':
      return route.projectId ? `#/new/${encodeURIComponent(route.projectId)}` : '#/new'
    default:
      return `#/${route.place}`
  }
}

function readPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
