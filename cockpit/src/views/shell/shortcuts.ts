/** The keys of the cockpit: what each does, and how a sequence such as `g t` is read. */

export interface KeyEntry {
  readonly keys: string
  readonly does: string
}

/** Shown by `?`. Places add their own `g` letters. */
export const keyMap: readonly { readonly title: string; readonly entries: readonly KeyEntry[] }[] = [
  {
    title: 'Everywhere',
    entries: [
      { keys: 'mod+k', does: 'Find a command, a chat or a place' },
      { keys: '?', does: 'Show these keys' },
      { keys: 'n', does: 'New chat' },
      { keys: '[', does: 'Show or hide the left pane' },
      { keys: ']', does: 'Show or hide the evidence' },
      { keys: 'escape', does: 'Close what is open, then stop the run' },
    ],
  },
  {
    title: 'In a chat',
    entries: [
      { keys: 'j', does: 'Next row' },
      { keys: 'k', does: 'Row before' },
      { keys: 'enter', does: 'Open or close the row' },
      { keys: 'e', does: 'Evidence of the row' },
      { keys: '/', does: 'Write a message' },
    ],
  },
  {
    title: 'Under What was sent',
    entries: [
      { keys: 'j', does: 'Next request' },
      { keys: 'k', does: 'Request before' },
      { keys: 'enter', does: 'Open or close the request' },
    ],
  },
]

/** Time within which the second key of a sequence must come, in milliseconds. */
const sequenceMs = 1200

export interface KeyReader {
  /** The shortcut that this key completes: `n`, or `g t`. Null while one is begun and for no key of ours. */
  read(key: string, at: number): string | null
}

export function createKeyReader(): KeyReader {
  let begun: number | null = null
  return {
    read(key, at) {
      const follows = begun !== null && at - begun <= sequenceMs
      begun = null
      if (follows) return `g ${key}`
      if (key !== 'g') return key
      begun = at
      return null
    },
  }
}
