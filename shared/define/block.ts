/** One capability, declared once. It holds no handler, no component and no I/O. */
import type { Action, Download, Settings, Signal, Table } from './appearance.ts'
import type { Operation } from './operation.ts'

type Operations = Readonly<Record<string, Operation>>

export interface Block<Ops extends Operations = Operations, Id extends string = string> {
  readonly id: Id
  readonly title: string
  /** What the capability is for, in one sentence. */
  readonly about: string
  /** Where its operations live; `/api/<id>` unless a fixed contract says otherwise. */
  readonly base: string
  readonly operations: Ops
  /** Whether a screen was written for it (`view`), or the renderer draws it, or it has no place of its own. */
  readonly surface: 'view' | 'generic' | 'none'
  readonly tables: readonly Table[]
  readonly actions: readonly Action[]
  readonly downloads: readonly Download[]
  readonly signals: readonly Signal[]
  readonly settings: Settings | null
}

type Given<Ops extends Operations, Id extends string> = Pick<Block<Ops, Id>, 'id' | 'title' | 'about' | 'operations'> &
  Partial<Omit<Block<Ops, Id>, 'id' | 'title' | 'about' | 'operations'>>

/** Declare a capability. Names are checked when the list of all blocks is made (`defineModule`). */
export function defineBlock<const Ops extends Operations, const Id extends string>(given: Given<Ops, Id>): Block<Ops, Id> {
  const bare = { tables: [], actions: [], downloads: [], signals: [], settings: null }
  return { base: `/api/${given.id}`, surface: 'generic', ...bare, ...given }
}
