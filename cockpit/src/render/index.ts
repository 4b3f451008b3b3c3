/** The one renderer for what comes from a schema or from the ledger. */
export { default as BeatRow } from './BeatRow.svelte'
export { default as DetailsView } from './DetailsView.svelte'
export { default as DiffView } from './details/DiffView.svelte'
export { default as GenericSurface } from './generic/GenericSurface.svelte'
export { Markdown } from './markdown/index.ts'
export type { Row } from './row.ts'
export { default as TerminalText } from './terminal/TerminalText.svelte'
export { default as VisibleText } from './VisibleText.svelte'
