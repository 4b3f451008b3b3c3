/** Model endpoints. Address and key are sealed; the key leaves this file only through `keyOf` and `secrets`. */
import type { Provider } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import type { Owner } from '../pages.ts'

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
