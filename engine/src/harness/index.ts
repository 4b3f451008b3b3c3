/** Scripted scenarios over the turn that every run goes through. */
export { type HarnessReport, runHarness, type ScenarioReport } from './run.ts'
export { scenarios } from './scenarios.ts'
