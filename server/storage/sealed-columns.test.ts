import { describe, expect, it } from 'vitest'
import { openTempStore } from '../../tests/support/store.ts'
import { sealedColumns } from './sealed-columns.ts'

describe('the list of sealed columns', () => {
  it('names every column of bytes in the schema that is not a digest', async () => {
    await using temp = await openTempStore()
    const bytes = temp.rows<{ name: string }>(
      `SELECT tables.name || '.' || columns.name AS name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND lower(columns.type) = 'blob' AND lower(columns.name) NOT LIKE '%hash'`,
    )
    expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(bytes.map(({ name }) => name).sort())
  })
})
