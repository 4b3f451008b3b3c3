/** Runs: started, claimed, executed once, recorded, watched, stopped, and recovered after a crash. */
export type { RunControl, RunLimits, StartRequest } from './control.ts'
export { createFeed, type Feed } from './feed.ts'
export { type KnownWindow, readsInstructions, windowOf } from './reading.ts'
export { createRuns, usualLimits as usualRunLimits } from './runs.ts'
export { titleLimits } from './title.ts'
