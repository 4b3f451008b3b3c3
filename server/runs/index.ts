/** Runs: started, claimed, executed once, recorded, watched, stopped, and recovered after a crash. */
export type { RunControl, RunLimits, RunParts, StartRequest } from './control.ts'
export { createFeed, type Feed, type FeedScope } from './feed.ts'
export { createRuns } from './runs.ts'
