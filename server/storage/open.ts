/** Open the store: homes, lock, keys, schema, repositories, in this order, each a refusal of its own. */
import type { Result } from '@bridlewise/shared/refusals'
import type { Homes, Store } from './store.ts'

export declare function openStore(homes: Homes): Promise<Result<Store>>
