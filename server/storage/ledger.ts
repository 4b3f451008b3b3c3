/** The timeline ledger: one chain for the whole database, its payloads sealed beside it. */
import type { Beat, BeatDraft } from '@bridlewise/shared/wire'
import type { Owner, Page } from './pages.ts'

/** Whose beat it is and what it belongs to. */
export interface BeatScope extends Owner {
  readonly runId: string | null
  readonly chatId: string | null
}

export interface BeatFilter {
  readonly runId?: string | undefined
  readonly chatId?: string | undefined
  /** The `next` of the page before: a `seq`. */
  readonly after?: string | undefined
  readonly limit: number
}

export interface LedgerHead {
  /** 0 for the empty ledger, whose hash is the genesis hash. */
  readonly seq: number
  readonly hash: string
}

export interface Verification {
  readonly valid: boolean
  readonly entries: number
  /** Entries whose payload was erased on request; the chain holds without it. */
  readonly erased: number
  readonly head: string | null
  readonly broken: { readonly seq: number; readonly problem: string } | null
}

export interface Ledger {
  /**
   * Contract: when it resolves the beat is durable and its `seq` follows every beat resolved before.
   * Beats and frames handed over in one tick of the event loop share one commit.
   */
  append(scope: BeatScope, draft: BeatDraft): Promise<Beat>
  /** The same inside `store.transaction`, or as a commit of its own. */
  write(scope: BeatScope, draft: BeatDraft): Beat
  /** Oldest first; erased beats are left out. */
  list(owner: Owner, filter: BeatFilter): Page<Beat>
  head(): LedgerHead
  /** Walks the whole chain in slices, so the event loop stays free. Stops early when `signal` aborts. */
  verify(signal?: AbortSignal): Promise<Verification>
}
