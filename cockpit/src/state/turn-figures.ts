/** Figures and lists read off turns: usage, time, changes, and what the run left behind. */
import { type ContextMeter, type FileDiff, isPaused, type RunStatus, type Usage } from '@bridlewise/shared/wire'
import { rowsOf, type Turn, type TurnRow } from './turn.ts'

export function statusOf(turn: Turn): RunStatus {
  return turn.outcome?.kind ?? turn.run?.status ?? 'running'
}

export function isActive(turn: Turn): boolean {
  const status = statusOf(turn)
  return status === 'queued' || status === 'running'
}

export function isFixture(turn: Turn): boolean {
  return turn.run?.fixture ?? turn.started?.fixture ?? false
}

export function modelLabel(turn: Turn): string {
  return turn.run?.model.label ?? turn.started?.model.label ?? ''
}

/** Tokens so far: the outcome's sum at the end, the answered requests' until then. */
export function usageOf(turn: Turn): Usage {
  if (turn.outcome) return turn.outcome.usage
  const sum = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  for (const { response } of turn.requests) {
    sum.inputTokens += response?.usage?.inputTokens ?? 0
    sum.outputTokens += response?.usage?.outputTokens ?? 0
    sum.cachedTokens += response?.usage?.cachedTokens ?? 0
  }
  return sum
}

/** What its requests cost so far, in billionths of a US dollar: unknown where the price of one is; null where nobody counted. */
export function costOf(turn: Turn): number | 'unknown' | null {
  const charges = turn.requests
    .map(({ response }) => response?.charge)
    .filter((charge) => charge !== null && charge !== undefined)
  if (charges.length === 0) return null
  return charges.some(({ nanos }) => nanos === null) ? 'unknown' : charges.reduce((sum, { nanos }) => sum + (nanos ?? 0), 0)
}

/** How full the window was with the newest request; null where none of these turns says. */
export function meterOf(turns: readonly Turn[]): ContextMeter | null {
  return turns.flatMap(({ requests }) => requests).findLast(({ context }) => context !== undefined)?.context ?? null
}

/** One file and what was done to it, oldest change first. */
export interface FileChanges {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly diffs: readonly { readonly callId: string; readonly diff: FileDiff }[]
}

export function changesOf(turns: readonly Turn[]): FileChanges[] {
  const files = new Map<string, FileChanges>()
  for (const row of turns.flatMap(rowsOf)) {
    for (const { diff } of row.effects) {
      if (!diff) continue
      const known = files.get(diff.path) ?? { path: diff.path, added: 0, removed: 0, diffs: [] }
      files.set(diff.path, {
        path: diff.path,
        added: known.added + diff.added,
        removed: known.removed + diff.removed,
        diffs: [...known.diffs, { callId: row.callId, diff }],
      })
    }
  }
  return [...files.values()]
}

/** Whether it can be gone on with, as far as the page can tell; the server decides. */
export function canContinue({ outcome }: Turn): boolean {
  return outcome?.kind === 'interrupted' || isPaused(outcome)
}

/** Calls that were begun and of which nobody knows what they did. */
export function unknownOf(turn: Turn): TurnRow[] {
  return rowsOf(turn).filter(({ state }) => state === 'unknown' || state === 'killed' || state === 'timed_out')
}

/** One line on how it ended: "Stopped. 2 files were changed before the stop." */
export function describeEnd(turn: Turn): string {
  const outcome = turn.outcome
  if (!outcome) return ''
  const files = describeFiles(outcome.filesChanged.length)
  switch (outcome.kind) {
    case 'completed':
      return outcome.filesChanged.length === 0 ? 'Completed. No file was changed.' : `Completed. ${files} changed.`
    case 'cancelled':
      return `Stopped. ${files} changed before the stop.`
    case 'failed':
      return `${isPaused(outcome) ? 'Paused' : 'Failed'}. ${files} changed before that.`
    case 'interrupted':
      return `Interrupted. ${files} changed before the server stopped.`
    default:
      return outcome satisfies never
  }
}

function describeFiles(count: number): string {
  if (count === 0) return 'No file was'
  return count === 1 ? '1 file was' : `${count} files were`
}
