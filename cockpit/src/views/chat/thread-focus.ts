/** Moving the focus inside a chat by key: between rows, and to the composer. */

export const composerId = 'composer'

/** Move to the row so many places on; without a focused row, to the last or first one. */
export function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? rows.at(by === 1 ? 0 : -1) : rows[at + by]
  const button = next?.querySelector<HTMLElement>('button') ?? null
  button?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

export function focusComposer(): void {
  document.getElementById(composerId)?.focus()
}
