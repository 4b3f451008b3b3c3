/** Front door of retention: what is kept, and the sweep that removes the rest. */
export { createKeeping, type Keeping } from './keeping.ts'
export { usualRetention } from './limits.ts'
export { createSweeper, type Sweeper } from './sweeper.ts'
