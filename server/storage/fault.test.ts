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

  it.each([
    ['a failed sync', new Sqlite.SqliteError('io', 'SQLITE_IOERR_FSYNC'), 'storage_failed'],
    ['a file system that is read-only now', new Sqlite.SqliteError('ro', 'SQLITE_READONLY'), 'storage_failed'],
    ['too many open files', failure('EMFILE'), 'storage_failed'],
    ['a dying disk', failure('EIO'), 'storage_failed'],
    ['a database that another program holds', new Sqlite.SqliteError('busy', 'SQLITE_BUSY'), 'storage_busy'],
  ])('names %s', (_what, error, code) => {
    expect(refuseFault(error)).toMatchObject({ ok: false, refusal: { code } })
  })

  it.each([new Sqlite.SqliteError('constraint', 'SQLITE_CONSTRAINT'), failure('ENOENT'), new Error('a bug'), 'ENOSPC'])(
    'throws %s on',
    (error) => {
      expect(() => refuseFault(error)).toThrow(error as Error)
    },
  )
})
