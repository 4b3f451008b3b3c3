/** Moving the focus by key: between the rows of a chat or of what was sent, and to the composer. */

export const composerId = 'composer'

/** Move to the next row or the one before; without a focused row, to the first or last. Tells which row of a chat it is. */
export function moveRow(by: 1 | -1): { readonly runId: string; readonly callId: string } | null {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row], [data-request]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? rows.at(by === 1 ? 0 : -1) : rows[at + by]
  if (!next) return null
  next.querySelector<HTMLElement>('button')?.focus()
  next.scrollIntoView({ block: 'nearest' })
  const { run, row } = next.dataset
  return run === undefined || row === undefined ? null : { runId: run, callId: row }
}

export function focusComposer(): void {
  document.getElementById(composerId)?.focus()
}
