/** Holds what came of a scenario against what it expects, and against what must hold for every turn. */
import { historyFromBeats } from '../agents/index.ts'
import { describeBeat } from './describe-beat.ts'
import type { Played } from './play.ts'
import type { Scenario } from './scenario.ts'

/** What is wrong, as sentences; empty when nothing is. */
export async function findProblems(scenario: Scenario, played: Played): Promise<string[]> {
  return [...findSurprises(scenario, played), ...(await findBreaches(played))]
}

function findSurprises({ expected, ...scenario }: Scenario, { outcome, ledger, requests, files }: Played): string[] {
  const problems: string[] = []
  const compare = (what: string, wanted: unknown, got: unknown) => {
    const [want, have] = [JSON.stringify(wanted), JSON.stringify(got)]
    if (want !== have) problems.push(`${what}: expected ${want}, got ${have}`)
  }
  compare('outcome', expected.outcome, outcome.kind)
  compare('refusal', expected.refusal ?? null, 'refusal' in outcome ? outcome.refusal.code : null)
  compare('beats', expected.beats, ledger.beats.map(describeBeat))
  for (const [path, text] of Object.entries(expected.files ?? {})) compare(`file ${path}`, text, files[path] ?? null)
  const read = requests.flatMap(({ messages }) => messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])))
  for (const text of expected.modelRead ?? []) {
    if (!read.some((result) => result.includes(text))) problems.push(`the model was never given "${text}" to read`)
  }
  if (scenario.answers.length < requests.length && expected.refusal !== 'fixture_exhausted') {
    problems.push(`the model was asked ${requests.length} times, and the script has ${scenario.answers.length} answers`)
  }
  return problems
}

/** What no scenario may break: the chain, the pairing of calls, and that nothing broke on our side. */
async function findBreaches({ ledger, faults }: Played): Promise<string[]> {
  const problems = faults.map((fault) => `something broke: ${String(fault)}`)
  const chain = await ledger.verify()
  if (!chain.ok) problems.push(chain.refusal.message)
  const history = historyFromBeats(ledger.beats)
  const called = history.flatMap((message) => (message.role === 'assistant' ? message.calls.map(({ id }) => id) : []))
  const answered = history.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
  if (called.join() !== answered.join()) problems.push('calls and results do not pair')
  return problems
}
