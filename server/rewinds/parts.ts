/** What the room needs, and what it is asked. */
import type { Clock, Grants, Ids } from '@bridlewise/engine'
import type { Result } from '@bridlewise/shared/refusals'
import type { RewindMode } from '@bridlewise/shared/wire'
import type { Store } from '../storage/index.ts'

export interface RewindParts {
  readonly store: Pick<
    Store,
    'chats' | 'messages' | 'runs' | 'projects' | 'ledger' | 'versions' | 'rewinds' | 'changes' | 'leases' | 'transaction'
  >
  readonly clock: Clock
  readonly ids: Ids
  /** What the root policy admits, asked at each change of files. */
  readonly grants: () => Result<Grants>
  readonly reportFault: (fault: unknown) => string
}

/** What is gone back to before: a run of the chat, or one of its rewinds. */
export interface RewindTarget {
  readonly chatId: string
  readonly target: string
}

export interface RewindRequest extends RewindTarget {
  readonly mode: RewindMode
  readonly decided: readonly { readonly path: string; readonly seen: string | null }[]
}
