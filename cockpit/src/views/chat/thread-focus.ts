/** Moving the focus inside a chat by key: between rows, and to the composer. */

export const composerId = 'composer'

/** Move to the next row or the one before; without a focused row, to the first or last. Tells which one it is. */
export function moveRow(by: 1 | -1): { readonly runId: string; readonly callId: string } | null {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? rows.at(by === 1 ? 0 : -1) : rows[at + by]
  if (!next) return null
  next.querySelector<HTMLElement>('button')?.focus()
  next.scrollIntoView({ block: 'nearest' })
  return { runId: next.dataset['run'] ?? '', callId: next.dataset['row'] ?? '' }
}

export function focusComposer(): void {
  document.getElementById(composerId)?.focus()
}
