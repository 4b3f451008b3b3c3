/** A child as a row: its figures while it runs, what its turn was told of it afterwards. */
import { countOf } from '../../parts/index.ts'
import type { TurnChild, TurnRow } from '../../state/index.ts'

export function describeChild(row: TurnRow, { turn }: TurnChild): TurnRow {
  return row.state === 'running' ? { ...row, summary: countOf(turn.requests.length, 'request') } : row
}

export function describeScope({ scope }: TurnChild): string {
  if (scope.paths.length === 0) return 'only reads'
  return scope.paths.includes('.') ? 'may change the project' : `may change ${scope.paths.join(', ')}`
}
