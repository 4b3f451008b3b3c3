/** Runs scenarios one after the other and reports. */
import { findProblems } from './judge.ts'
import { playScenario } from './play.ts'
import type { Scenario } from './scenario.ts'

export interface ScenarioReport {
  readonly name: string
  readonly shows: string
  readonly passed: boolean
  /** Why it failed, as sentences. */
  readonly problems: readonly string[]
  readonly beats: number
}

export interface HarnessReport {
  /** What stood in for the world: no model was asked and no process was started. */
  readonly model: 'scripted'
  readonly processes: 'scripted'
  readonly passed: number
  readonly failed: number
  readonly scenarios: readonly ScenarioReport[]
}

/** Contract: one report per scenario, in their order. A scenario that throws has failed. */
export async function runHarness(scenarios: readonly Scenario[]): Promise<HarnessReport> {
  const reports: ScenarioReport[] = []
  for (const scenario of scenarios) reports.push(await reportScenario(scenario))
  const failed = reports.filter(({ passed }) => !passed).length
  return { model: 'scripted', processes: 'scripted', passed: reports.length - failed, failed, scenarios: reports }
}

async function reportScenario(scenario: Scenario): Promise<ScenarioReport> {
  const { name, shows } = scenario
  try {
    const played = await playScenario(scenario)
    const problems = await findProblems(scenario, played)
    return { name, shows, passed: problems.length === 0, problems, beats: played.ledger.beats.length }
  } catch (fault) {
    return { name, shows, passed: false, problems: [`it threw: ${String(fault)}`], beats: 0 }
  }
}
