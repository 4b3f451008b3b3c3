/**
 * The little that the browser keeps: the session's token, the mark of this browser, drafts, and how the panes stand.
 * `localStorage` is scoped to the origin, port included, which a cookie is not; that is why the
 * token lives here.
 */
export interface BrowserStore {
  get(name: string): string | null
  set(name: string, value: string): void
  remove(name: string): void
}

const prefix = 'bridlewise.'

/**
 * Bind to the browser's storage, or to memory where storage is switched off.
 *
 * Contract: never throws. A full or forbidden storage keeps values for as long as the page lives.
 */
export function openBrowserStore(find: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null): BrowserStore {
  const storage = findQuietly(find)
  const memory = new Map<string, string>()
  return {
    get(name) {
      try {
        return storage?.getItem(prefix + name) ?? memory.get(name) ?? null
      } catch {
        return memory.get(name) ?? null
      }
    },
    set(name, value) {
      memory.set(name, value)
      try {
        storage?.setItem(prefix + name, value)
      } catch {
        // The copy in memory stands in: losing a draft at the end of the visit beats failing now.
      }
    },
    remove(name) {
      memory.delete(name)
      try {
        storage?.removeItem(prefix + name)
      } catch {
        // Nothing was stored, so nothing is left behind.
      }
    },
  }
}

/** A browser that forbids storage throws at the mere mention of it. */
function findQuietly<T>(find: () => T | null): T | null {
  try {
    return find()
  } catch {
    return null
  }
}
