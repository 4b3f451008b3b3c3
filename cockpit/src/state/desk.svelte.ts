/** How the desk stands: theme, panes, and what lies open on it. Kept in the browser, sent nowhere. */
import type { Chat } from '@bridlewise/shared'
import type { BrowserStore } from '../client/index.ts'

export type Theme = 'system' | 'light' | 'dark'
export type EvidenceTab = 'changes' | 'row' | 'timeline' | 'egress'
/** Which pane a narrow screen shows. */
export type NarrowPane = 'places' | 'middle' | 'evidence'

export interface Selection {
  readonly runId: string
  /** The row that fills the evidence pane; null selects the whole run. */
  readonly callId: string | null
}

/** A question about a chat that waits for an answer. */
export interface Asked {
  readonly act: 'rename' | 'save' | 'remove'
  readonly chat: Chat
}

interface Kept {
  theme: Theme
  placesSize: number
  evidenceSize: number
  placesShown: boolean
  evidenceShown: boolean
}

const given: Kept = { theme: 'system', placesSize: 240, evidenceSize: 400, placesShown: true, evidenceShown: true }
const storedName = 'desk'

export class DeskState {
  theme = $state<Theme>(given.theme)
  placesSize = $state(given.placesSize)
  evidenceSize = $state(given.evidenceSize)
  placesShown = $state(given.placesShown)
  evidenceShown = $state(given.evidenceShown)
  narrowPane = $state<NarrowPane>('middle')
  evidenceTab = $state<EvidenceTab>('changes')
  selection = $state.raw<Selection | null>(null)
  paletteOpen = $state(false)
  keysOpen = $state(false)
  stopAsked = $state(false)
  asked = $state.raw<Asked | null>(null)
  readonly #store: BrowserStore

  constructor(store: BrowserStore) {
    this.#store = store
    Object.assign(this, readKept(store))
  }

  setTheme(theme: Theme): void {
    this.theme = theme
    this.#keep()
  }

  setSize(pane: 'places' | 'evidence', size: number): void {
    if (pane === 'places') this.placesSize = size
    else this.evidenceSize = size
    this.#keep()
  }

  togglePlaces(): void {
    this.placesShown = !this.placesShown
    this.#keep()
  }

  toggleEvidence(): void {
    this.evidenceShown = !this.evidenceShown
    this.#keep()
  }

  ask(asked: Asked | null): void {
    this.asked = asked
  }

  select(selection: Selection | null): void {
    this.selection = selection
    if (selection?.callId) this.evidenceTab = 'row'
    else if (this.evidenceTab === 'row') this.evidenceTab = 'changes'
  }

  /** Bring evidence into view, whatever the width of the screen. */
  showEvidence(tab: EvidenceTab): void {
    this.evidenceTab = tab
    this.narrowPane = 'evidence'
    if (!this.evidenceShown) this.toggleEvidence()
  }

  #keep(): void {
    const { theme, placesSize, evidenceSize, placesShown, evidenceShown } = this
    this.#store.set(storedName, JSON.stringify({ theme, placesSize, evidenceSize, placesShown, evidenceShown } satisfies Kept))
  }
}

/** What an older visit or another hand left behind counts only where it fits. */
function readKept(store: BrowserStore): Kept {
  let kept: Partial<Record<keyof Kept, unknown>> = {}
  try {
    kept = JSON.parse(store.get(storedName) ?? '{}') as typeof kept
  } catch {
    // Unreadable: the desk starts as new.
  }
  const size = (value: unknown, fallback: number) =>
    typeof value === 'number' && value >= 160 && value <= 1200 ? value : fallback
  const flag = (value: unknown, fallback: boolean) => (typeof value === 'boolean' ? value : fallback)
  return {
    theme: kept.theme === 'light' || kept.theme === 'dark' ? kept.theme : given.theme,
    placesSize: size(kept.placesSize, given.placesSize),
    evidenceSize: size(kept.evidenceSize, given.evidenceSize),
    placesShown: flag(kept.placesShown, given.placesShown),
    evidenceShown: flag(kept.evidenceShown, given.evidenceShown),
  }
}
