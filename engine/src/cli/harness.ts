/** `harness`: the scripted scenarios, told as text or JSON. */
import { type HarnessReport, runHarness, scenarios } from '../index.ts'
import { type Console, exits } from './console.ts'

export async function harness(console: Console, form: 'text' | 'json'): Promise<number> {
  const report = await runHarness(scenarios)
  console.out(form === 'json' ? `${JSON.stringify(report, null, 2)}\n` : writeReport(report))
  return report.failed === 0 ? exits.fine : exits.failed
}

function writeReport({ scenarios: reports, passed, failed }: HarnessReport): string {
  const lines = reports.flatMap(({ name, shows, passed: held, problems }) => [
    `${held ? 'pass' : 'FAIL'}  ${name}: ${shows}`,
    ...problems.map((problem) => `      ${problem}`),
  ])
  return `${lines.join('\n')}\n\nScripted model, scripted processes: nothing was asked and nothing was started.\n${passed} passed, ${failed} failed\n`
}
