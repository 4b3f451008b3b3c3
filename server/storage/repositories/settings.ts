/** What a person chose, by name. */
import type { OwnRedaction } from '@bridlewise/shared'
import type { KnownProfile, ModelChoice } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

/** Every setting there is, with the shape of its value. */
export interface SettingValues {
  readonly chosenModel: ModelChoice
  /** How models are spoken to, the newest last. What is read has to be checked: older versions stay. */
  readonly profiles: readonly (ModelChoice & { readonly known: KnownProfile })[]
  /** How much of streams and whole results is kept, and for how many days. */
  readonly retention: { readonly bytes: number; readonly days: number }
  /** What models take, in tokens, by provider and model: `provider/model`. */
  readonly contextWindows: Readonly<Record<string, number>>
  /** Projects whose instruction files are left out. */
  readonly instructionsOff: readonly string[]
  /** Where requests wait until the person has looked at them. */
  readonly held: { readonly projects: readonly string[]; readonly chats: readonly string[] }
  /** What the person has replaced, besides the shapes of secrets, in whatever leaves. */
  readonly redactions: readonly OwnRedaction[]
  /** Where titles of chats come from: the first words unless it is said. */
  readonly titles: 'small' | 'words'
  readonly ceilings: StoredCeilings
  readonly prices: readonly StoredPrice[]
}

/** Highest sums, by scope; null for none. Money in billionths of a US dollar, time in milliseconds. */
export type StoredCeilings = Readonly<
  Record<'run' | 'chat' | 'project' | 'day', Readonly<Record<'nanos' | 'tokens' | 'calls' | 'ms', number | null>>>
>

/** A price that a person knows better, in US dollars for a million tokens. */
export interface StoredPrice {
  readonly kind: string
  readonly model: string
  readonly input: number
  readonly cached: number | null
  readonly output: number
}

export interface Settings {
  get<Name extends keyof SettingValues>(owner: Owner, name: Name): SettingValues[Name] | null
  set<Name extends keyof SettingValues>(owner: Owner, name: Name, value: SettingValues[Name]): void
  remove(owner: Owner, name: keyof SettingValues): void
}

export const settingValue: SealedColumn = { table: 'settings', column: 'value', row: 'name', owner: 'userId' }

export function createSettings({ database, seal }: StoreContext): Settings {
  const get = database.prepare<[string, string], { value: Buffer }>('SELECT value FROM settings WHERE userId = ? AND name = ?')
  const set = database.prepare<[string, string, Buffer]>(
    `INSERT INTO settings (userId, name, value) VALUES (?, ?, ?)
     ON CONFLICT (userId, name) DO UPDATE SET value = excluded.value`,
  )
  const remove = database.prepare<[string, string]>('DELETE FROM settings WHERE userId = ? AND name = ?')
  const cellOf = (owner: Owner, name: string) => cellIn(settingValue, { row: name, owner: owner.userId })

  return {
    get(owner, name) {
      const row = get.get(owner.userId, name)
      return row === undefined ? null : JSON.parse(seal.open(cellOf(owner, name), row.value))
    },
    set(owner, name, value) {
      set.run(owner.userId, name, seal.seal(cellOf(owner, name), JSON.stringify(value)))
    },
    remove: (owner, name) => void remove.run(owner.userId, name),
  }
}
