/** Scripted scenarios over the turn that every run goes through. */
export { type HarnessReport, runHarness, type ScenarioReport } from './run.ts'
export type { Expectation, Scenario } from './scenario.ts'
export { scenarios } from './scenarios.ts'
export type { ProcessTable, ScriptedProcess } from './scripted-processes.ts'
