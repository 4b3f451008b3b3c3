/** Words of people that wait: to steer the run that is active, or to be the next run of the chat. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { WaitingMessage } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { waitingMessages } from '../schema/runs.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

export type Held = NonNullable<WaitingMessage['held']>

export interface Waiting {
  add(owner: Owner, message: WaitingMessage): void
  get(owner: Owner, id: string): WaitingMessage | null
  /** Of a chat, in the order in which they were written. */
  list(owner: Owner, chatId: string): readonly WaitingMessage[]
  /** What steers a run and has not reached it, in order. */
  listSteering(owner: Owner, runId: string): readonly WaitingMessage[]
  /** The first of the chat that starts by itself. */
  next(owner: Owner, chatId: string): WaitingMessage | null
  /** Refuses: thing_unknown. */
  edit(owner: Owner, id: string, text: string): Result<WaitingMessage>
  /** Contract: of all that remove one message exactly one gets true, so it is delivered once or not at all. */
  remove(owner: Owner, id: string): boolean
  /** A run ended: what did not reach it waits behind it, and nothing of the chat starts by itself when `held` says why. */
  settle(owner: Owner, run: { readonly runId: string; readonly chatId: string; readonly held: Held | null }): void
  hold(owner: Owner, id: string, held: Held): void
  /** At boot: a server that stopped leaves nothing that would start by itself. */
  holdAll(held: Held): void
}

export const waitingText: SealedColumn = {
  table: 'waiting_messages',
  column: 'text',
  row: 'id',
  parent: 'chatId',
  owner: 'userId',
}

type Row = typeof waitingMessages.$inferSelect

export function createWaiting({ database, seal }: StoreContext): Waiting {
  const insert = database.prepare<[...Array<string | null>, Buffer, string | null, number]>(
    `INSERT INTO waiting_messages (id, userId, chatId, runId, delivery, mode, providerId, modelId, text, held, createdAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byId = database.prepare<[string, string], Row>('SELECT * FROM waiting_messages WHERE id = ? AND userId = ?')
  const ofChat = database.prepare<[string, string], Row>(
    'SELECT * FROM waiting_messages WHERE chatId = ? AND userId = ? ORDER BY number',
  )
  const steering = database.prepare<[string, string], Row>(
    "SELECT * FROM waiting_messages WHERE runId = ? AND userId = ? AND delivery = 'steer' ORDER BY number",
  )
  const edit = database.prepare<[Buffer, string, string]>('UPDATE waiting_messages SET text = ? WHERE id = ? AND userId = ?')
  const remove = database.prepare<[string, string]>('DELETE FROM waiting_messages WHERE id = ? AND userId = ?')
  const follow = database.prepare<[string, string]>(
    "UPDATE waiting_messages SET delivery = 'queue' WHERE runId = ? AND userId = ?",
  )
  const holdChat = database.prepare<[Held, string, string]>(
    'UPDATE waiting_messages SET held = ? WHERE chatId = ? AND userId = ? AND held IS NULL',
  )
  const hold = database.prepare<[Held, string, string]>('UPDATE waiting_messages SET held = ? WHERE id = ? AND userId = ?')
  const holdAll = database.prepare<[Held]>("UPDATE waiting_messages SET held = ?, delivery = 'queue' WHERE held IS NULL")

  const toMessage = (row: Row): WaitingMessage => {
    const { id, chatId, runId, delivery, mode, providerId, modelId, held, createdAt } = row
    const model = providerId === null || modelId === null ? null : { providerId, modelId }
    return { id, chatId, runId, delivery, mode, model, text: seal.open(cellOf(row), row.text), held, createdAt }
  }
  const find = (owner: Owner, id: string): WaitingMessage | null => {
    const row = byId.get(id, owner.userId)
    return row === undefined ? null : toMessage(row)
  }
  const list = (owner: Owner, chatId: string) => ofChat.all(chatId, owner.userId).map(toMessage)

  return {
    add({ userId }, { id, chatId, runId, delivery, mode, model, text, held, createdAt }) {
      const sealed = seal.seal(cellOf({ id, chatId, userId }), text)
      const { providerId = null, modelId = null } = model ?? {}
      insert.run(id, userId, chatId, runId, delivery, mode, providerId, modelId, sealed, held, createdAt)
    },
    get: find,
    list,
    listSteering: ({ userId }, runId) => steering.all(runId, userId).map(toMessage),
    next: (owner, chatId) => list(owner, chatId).find(({ held }) => held === null) ?? null,
    edit: (owner, id, text) =>
      database.transaction(() => {
        const row = byId.get(id, owner.userId)
        if (row === undefined) return refuse('thing_unknown', { kind: 'waiting message' })
        edit.run(seal.seal(cellOf(row), text), id, owner.userId)
        return ok({ ...toMessage(row), text })
      }),
    remove: ({ userId }, id) => remove.run(id, userId) === 1,
    settle({ userId }, { runId, chatId, held }) {
      follow.run(runId, userId)
      if (held !== null) holdChat.run(held, chatId, userId)
    },
    hold: ({ userId }, id, held) => void hold.run(held, id, userId),
    holdAll: (held) => void holdAll.run(held),
  }
}

function cellOf({ id, chatId, userId }: Pick<Row, 'id' | 'chatId' | 'userId'>): Cell {
  return cellIn(waitingText, { row: id, parent: chatId, owner: userId })
}
