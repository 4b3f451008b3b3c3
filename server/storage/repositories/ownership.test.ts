/** Which methods of the store can be called without saying for whom. The list is kept by the type checker. */
import { expectTypeOf, it } from 'vitest'
import type { Owner } from '../pages.ts'
import type { Store } from '../store.ts'

/** Repositories of what people own. A new one belongs here unless it is about nobody. */
type Owned = Pick<
  Store,
  | 'projects'
  | 'shares'
  | 'providers'
  | 'modelRoles'
  | 'chats'
  | 'messages'
  | 'runs'
  | 'waiting'
  | 'executions'
  | 'frames'
  | 'blobs'
  | 'idempotency'
  | 'settings'
  | 'tokens'
  | 'sessions'
>

type WithoutOwner<Repository> = {
  [Name in keyof Repository]: Repository[Name] extends (first: infer First, ...rest: never[]) => unknown
    ? First extends Owner
      ? never
      : Name
    : never
}[keyof Repository]

/** Credentials say whose they are, orphans, what a stopped server leaves, and age are the machine's business: none of these is reached with an id that a caller names. */
interface Exceptions {
  readonly executions: 'listOrphans'
  readonly waiting: 'holdAll'
  readonly idempotency: 'removeBefore'
  readonly tokens: 'findByHash'
  readonly sessions: 'findByCookieHash' | 'removeExpired'
}

type Found = { [Name in keyof Owned]: WithoutOwner<Owned[Name]> }

it('every method about owned things takes an owner first, but for the listed ones', () => {
  expectTypeOf<Pick<Found, keyof Exceptions>>().toEqualTypeOf<Exceptions>()
  expectTypeOf<Found[Exclude<keyof Owned, keyof Exceptions>]>().toBeNever()
})
