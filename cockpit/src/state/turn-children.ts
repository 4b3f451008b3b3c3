/** Turns inside turns: the one that a beat or a word belongs to, however deep, changed in its place. */
import type { Turn, TurnRow } from './turn.ts'

/** Change the child of the turn that is the child of a call, or stands above it. Of a call that is not known nothing is shown. */
export function foldIntoChild(turn: Turn, callId: string, fold: (child: Turn) => Turn): Turn {
  const holder = turn.parts.find((part): part is TurnRow => part.kind === 'row' && isAbove(part, callId))
  if (!holder) return turn
  return changeRow(turn, holder.callId, (row) =>
    row.child ? { ...row, child: { ...row.child, turn: fold(row.child.turn) } } : row,
  )
}

/** Change a row of the turn itself, or of the child that has it. */
export function changeRow(turn: Turn, callId: string, change: (row: TurnRow) => TurnRow): Turn {
  return { ...turn, parts: turn.parts.map((part) => (part.kind === 'row' ? changeIn(part, callId, change) : part)) }
}

function changeIn(row: TurnRow, callId: string, change: (row: TurnRow) => TurnRow): TurnRow {
  if (row.callId === callId) return change(row)
  if (!row.child || !isAbove(row, callId)) return row
  return { ...row, child: { ...row.child, turn: changeRow(row.child.turn, callId, change) } }
}

function isAbove(row: TurnRow, callId: string): boolean {
  if (row.callId === callId) return true
  return row.child?.turn.parts.some((part) => part.kind === 'row' && isAbove(part, callId)) ?? false
}
