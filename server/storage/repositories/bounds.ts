/** Numbers that an administrator set for everybody, by name. What nobody set is not there. */
import type { StoreContext } from '../context.ts'

export interface Bounds {
  read(name: string): number | null
  /** Null takes it back. */
  set(name: string, value: number | null): void
}

export function createBounds({ database }: Pick<StoreContext, 'database'>): Bounds {
  const read = database.prepare<[string], { value: number }>('SELECT value FROM bounds WHERE name = ?')
  const set = database.prepare<[string, number]>(
    'INSERT INTO bounds (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const remove = database.prepare<[string]>('DELETE FROM bounds WHERE name = ?')
  return {
    read: (name) => read.get(name)?.value ?? null,
    set(name, value) {
      if (value === null) remove.run(name)
      else set.run(name, value)
    },
  }
}
