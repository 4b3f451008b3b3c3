import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { refuseFault, StorageFault } from './fault.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

describe('refuseFault', () => {
  it.each([
    ['a full database', new Sqlite.SqliteError('full', 'SQLITE_FULL')],
    ['a full disk', failure('ENOSPC')],
    ['a used-up quota', failure('EDQUOT')],
    ['what was named before', new StorageFault('storage_full', {})],
  ])('answers %s with storage_full', (_what, error) => {
    expect(refuseFault(error)).toMatchObject({ ok: false, refusal: { code: 'storage_full' } })
  })

  it.each([new Sqlite.SqliteError('busy', 'SQLITE_BUSY'), failure('EIO'), new Error('a bug'), 'ENOSPC'])(
    'throws %s on',
    (error) => {
      expect(() => refuseFault(error)).toThrow(error as Error)
    },
  )
})
