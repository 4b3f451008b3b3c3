/** What the installation remembers for itself, by name. It belongs to no person. */
import type { StoreContext } from '../context.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'

/** Every such thing there is, with the shape of its value. */
export interface InstallationValues {
  /** Signs what a browser keeps to be known again: 32 bytes in base64url. */
  readonly deviceKey: string
  /** Names texts that left for a model: 32 bytes in base64url. */
  readonly departureKey: string
  /** Names contents of files by a digest that nobody else can make: 32 bytes in base64url. */
  readonly versionKey: string
  /** The proxy, with what opens it, and the authorities that administrators set. */
  readonly network: StoredNetwork
  /** Wrong passwords in a row, under a digest of what was tried. No time: clocks jump, and this outlives a restart. */
  readonly wrongPasswords: readonly (readonly [key: string, count: number])[]
}

export interface StoredNetwork {
  readonly proxy: { readonly address: string; readonly exempt: string } | null
  readonly authorities: readonly {
    readonly fingerprint: string
    readonly name: string
    readonly expiresAt: number
    readonly pem: string
  }[]
}

export interface Installation {
  get<Name extends keyof InstallationValues>(name: Name): InstallationValues[Name] | null
  set<Name extends keyof InstallationValues>(name: Name, value: InstallationValues[Name]): void
}

export const installationValue: SealedColumn = { table: 'installation', column: 'value', row: 'name', owner: "''" }

export function createInstallation({ database, seal }: StoreContext): Installation {
  const get = database.prepare<[string], { value: Buffer }>('SELECT value FROM installation WHERE name = ?')
  const set = database.prepare<[string, Buffer]>(
    'INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const cellOf = (name: string) => cellIn(installationValue, { row: name, owner: '' })

  return {
    get(name) {
      const row = get.get(name)
      return row === undefined ? null : JSON.parse(seal.open(cellOf(name), row.value))
    },
    set: (name, value) => void set.run(name, seal.seal(cellOf(name), JSON.stringify(value))),
  }
}
