/**
 * What a browser that signed in once shows at its next sign-in, to be told apart from strangers.
 *
 * It lets nobody in. Whoever shows it has attempts of their own, which the wrong guesses of others do
 * not slow down; whoever stole it can guess a little beside them, and no more.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { UserRecord, Users } from '../storage/index.ts'

export interface Devices {
  /** The mark for the browsers of a user, until password or role change. */
  markOf(user: Pick<UserRecord, 'id' | 'epoch'>): string
  /** Whose it is; null for one that this installation did not give, or gave before a change. */
  find(shown: string | null): string | null
}

export function createDevices(key: Buffer, users: Pick<Users, 'get'>): Devices {
  const sign = (user: Pick<UserRecord, 'id' | 'epoch'>) => createHmac('sha256', key).update(`${user.id} ${user.epoch}`).digest()

  return {
    markOf: (user) => `${user.id}.${sign(user).toString('base64url')}`,
    find(shown) {
      const [userId = '', mark = '', ...more] = (shown ?? '').split('.')
      const user = more.length === 0 && mark !== '' ? users.get(userId) : null
      if (user === null) return null
      const given = Buffer.from(mark, 'base64url')
      const expected = sign(user)
      return given.length === expected.length && timingSafeEqual(given, expected) ? user.id : null
    },
  }
}
