/** Model endpoints. Address and key are sealed; the key leaves this file only through `keyOf` and `secrets`. */
import type { Provider } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { providers } from '../schema/work.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'
import type { Settings } from './settings.ts'

export interface ProviderDraft {
  readonly id: string
  readonly name: string
  /** `demo` marks recorded words; nothing else is read into it here. */
  readonly kind: string
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly models: readonly string[]
  readonly createdAt: number
}

export interface ProviderChange {
  readonly name?: string | undefined
  readonly models?: readonly string[] | undefined
  /** Null removes the stored key; absent keeps it. */
  readonly apiKey?: string | null | undefined
}

export interface Providers {
  create(owner: Owner, draft: ProviderDraft): Provider
  get(owner: Owner, providerId: string): Provider | null
  /** Oldest first. */
  list(owner: Owner): readonly Provider[]
  /** Refuses: thing_unknown. */
  update(owner: Owner, providerId: string, change: ProviderChange): Result<Provider>
  /** Forgets the choice of one of its models, too. Refuses: thing_unknown. */
  remove(owner: Owner, providerId: string): Result<Provider>
  keyOf(owner: Owner, providerId: string): string | null
  /** Every stored key of the owner, for the redactor's literals. */
  secrets(owner: Owner): readonly string[]
}

export const providerColumns = {
  baseUrl: { table: 'providers', column: 'baseUrl', row: 'id', owner: 'userId' },
  apiKey: { table: 'providers', column: 'apiKey', row: 'id', owner: 'userId' },
} as const satisfies Readonly<Record<string, SealedColumn>>

type Row = typeof providers.$inferSelect

/** A key shorter than this has no tail to show: four characters would be too much of it. */
const tailFrom = 12

export function createProviders({ database, seal }: StoreContext, settings: Settings): Providers {
  const insert = database.prepare<[string, string, string, string, Buffer, Buffer | null, string, number]>(
    'INSERT INTO providers (id, userId, name, kind, baseUrl, apiKey, models, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const byId = database.prepare<[string, string], Row>('SELECT * FROM providers WHERE id = ? AND userId = ?')
  const list = database.prepare<[string], Row>('SELECT * FROM providers WHERE userId = ? ORDER BY createdAt, id')
  const change = database.prepare<[string, string, Buffer | null, string, string]>(
    'UPDATE providers SET name = ?, models = ?, apiKey = ? WHERE id = ? AND userId = ?',
  )
  const remove = database.prepare<[string, string]>('DELETE FROM providers WHERE id = ? AND userId = ?')

  const sealKey = (owner: Owner, id: string, key: string | null) =>
    key === null ? null : seal.seal(cellOf(owner, id, 'apiKey'), key)
  const openKey = (row: Row) =>
    row.apiKey === null ? null : seal.open(cellOf({ userId: row.userId }, row.id, 'apiKey'), row.apiKey)

  function toProvider(row: Row): Provider {
    const key = openKey(row)
    return {
      id: row.id,
      name: row.name,
      kind: row.kind,
      baseUrl: seal.open(cellOf({ userId: row.userId }, row.id, 'baseUrl'), row.baseUrl),
      models: JSON.parse(row.models) as string[],
      key: { stored: key !== null, tail: key !== null && key.length >= tailFrom ? key.slice(-4) : null },
      fixture: row.kind === 'demo',
      createdAt: row.createdAt,
    }
  }

  function find(owner: Owner, providerId: string): Provider | null {
    const row = byId.get(providerId, owner.userId)
    return row === undefined ? null : toProvider(row)
  }

  /** For a row that was written a moment ago in the same transaction. */
  function mustFind(owner: Owner, providerId: string): Provider {
    const provider = find(owner, providerId)
    if (provider === null) throw new Error(`the provider ${providerId} is not there after it was written`)
    return provider
  }

  return {
    create(owner, { id, name, kind, baseUrl, apiKey, models, createdAt }) {
      const address = seal.seal(cellOf(owner, id, 'baseUrl'), baseUrl)
      insert.run(id, owner.userId, name, kind, address, sealKey(owner, id, apiKey), JSON.stringify(models), createdAt)
      return mustFind(owner, id)
    },
    get: find,
    list: (owner) => list.all(owner.userId).map(toProvider),
    update: (owner, providerId, { name, models, apiKey }) =>
      database.transaction(() => {
        const row = byId.get(providerId, owner.userId)
        if (row === undefined) return refuse('thing_unknown', { kind: 'provider' })
        const sealed = apiKey === undefined ? row.apiKey : sealKey(owner, providerId, apiKey)
        change.run(name ?? row.name, models === undefined ? row.models : JSON.stringify(models), sealed, providerId, owner.userId)
        return ok(mustFind(owner, providerId))
      }),
    remove: (owner, providerId) =>
      database.transaction(() => {
        const provider = find(owner, providerId)
        if (provider === null) return refuse('thing_unknown', { kind: 'provider' })
        remove.run(providerId, owner.userId)
        if (settings.get(owner, 'chosenModel')?.providerId === providerId) settings.remove(owner, 'chosenModel')
        return ok(provider)
      }),
    keyOf(owner, providerId) {
      const row = byId.get(providerId, owner.userId)
      return row === undefined ? null : openKey(row)
    },
    secrets: (owner) =>
      list
        .all(owner.userId)
        .map(openKey)
        .filter((key) => key !== null),
  }
}

function cellOf(owner: Owner, providerId: string, column: keyof typeof providerColumns): Cell {
  return cellIn(providerColumns[column], { row: providerId, owner: owner.userId })
}
