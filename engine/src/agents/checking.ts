/** Checking: the end of a step. What was odd about it becomes a finding; then around again, or done. */
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { ModelCall, ModelMessage } from '@bridlewise/shared/wire'
import { checkAnswer } from './claims/index.ts'
import { filesOfInstructions, pathsIn, readNested, tellInstructions } from './context/index.ts'
import { withThought } from './thoughts.ts'
import { type Answer, endAtLimit, record, type Turn, type TurnState } from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/** Hand the results back to the model, or end the turn where the model asked for nothing more. */
export async function* checkStep(turn: Turn, { answer }: { readonly answer: Answer }): AsyncGenerator<TurnEvent, TurnState> {
  const { exchange, limits, tally } = turn
  const title = findOddity(answer)
  if (title !== null) {
    const payload = { severity: 'warning' as const, title, text: oddities[title], evidence: [answer.beatId] }
    yield* record(turn, { kind: 'finding', source: 'server', derivation: [answer.beatId], payload })
  }
  if (answer.calls.length === 0) return yield* checkClaims(turn, answer)

  const seq = answer.seq ?? exchange.seq ?? undefined
  const said = { role: 'assistant' as const, text: answer.text, calls: exchange.calls, seq }
  turn.messages.push(tellAgain(turn, said, answer), ...(await withNested(turn)))
  turn.basis = exchange.beatIds
  tally.stepsBlocked = exchange.ran ? 0 : tally.stepsBlocked + 1
  if (tally.stepsBlocked >= limits.blockedSteps) {
    return { name: 'done', ending: endAtLimit(limits.blockedSteps, 'steps in a row in which every call was blocked') }
  }
  const stall = turn.progress.endStep(limits)
  if (stall !== null) {
    return { name: 'done', ending: { kind: 'failed', refusal: makeRefusal('run_no_progress', { reason: stall }) } }
  }
  return { name: 'assembling' }
}

/** The results of the step, the last one followed by the instructions of directories that it touched first. */
async function withNested({ exchange, executor, reading }: Turn): Promise<readonly ModelMessage[]> {
  const last = exchange.results.at(-1)
  if (!executor || !last || reading.input.projectInstructions === 'left_out') return exchange.results
  const paths = exchange.calls.flatMap((call) => pathsIn(call.arguments))
  const nested = await readNested(executor.workspace, { paths, visited: reading.visited, known: reading.instructions })
  if (nested.length === 0) return exchange.results
  reading.instructions.push(...nested)
  return [
    ...exchange.results.slice(0, -1),
    { ...last, text: `${last.text}\n\n${tellInstructions(nested)}`, instructions: filesOfInstructions(nested) },
  ]
}

/** Hold the last answer against the record; one that tells of work that did not happen is asked for again, once. */
async function* checkClaims(turn: Turn, answer: Answer): AsyncGenerator<TurnEvent, TurnState> {
  const completed: TurnState = { name: 'done', ending: { kind: 'completed' } }
  const { messageId, text } = answer
  if (messageId === null || answer.finish === 'length' || answer.finish === 'filter') return completed
  const { claims, recheck, fabrication } = checkAnswer({
    text,
    evidence: turn.evidence,
    offered: new Set(turn.executor ? turn.context.tools.forModel(turn.context.scope.mode).map(({ name }) => name) : []),
    earlier: turn.input.history.flatMap((message) => (message.role === 'assistant' ? message.calls.map(describeCall) : [])),
  })
  if (claims.length === 0 && recheck === null && fabrication === null) return completed
  const again = fabrication !== null && !turn.nudged && turn.tally.steps < turn.limits.steps
  const nudge = again ? writeNudge(fabrication.reason) : null
  const beat = yield* record(turn, {
    kind: 'claims',
    source: 'server',
    derivation: [answer.beatId],
    payload: { messageId, claims, recheck, fabrication, nudge },
  })
  if (nudge === null) return completed
  turn.nudged = true
  const seq = answer.seq ?? undefined
  const said = { role: 'assistant' as const, text, calls: [], seq }
  turn.messages.push(tellAgain(turn, said, answer), { role: 'user', text: nudge, seq: beat.seq })
  turn.basis = [beat.id]
  return { name: 'assembling' }
}

/** An answer as the one who gave it reads it next. */
function tellAgain(
  { reading }: Turn,
  said: Extract<ModelMessage, { role: 'assistant' }>,
  { thought }: Answer,
): Extract<ModelMessage, { role: 'assistant' }> {
  const listener = thought && { endpoint: thought.endpoint, modelId: thought.modelId, reasoning: reading.input.reasoningBack }
  return withThought(said, thought, listener)
}

function describeCall({ name, arguments: written }: ModelCall): string {
  return `${name} ${written}`
}

function writeNudge(reason: string): string {
  return `[Check of your answer] ${reason} If it still has to be done, do it now. Otherwise answer again and say only what happened.`
}

const oddities = {
  'The answer was cut off': 'The model reached its output limit in the middle of the answer. Ask it to go on.',
  'The answer was filtered': "The endpoint's content filter stopped the answer.",
  'The answer is empty': 'The model ended without a word and without a call.',
} as const

function findOddity({ calls, finish, text }: Answer): keyof typeof oddities | null {
  if (finish === 'filter') return 'The answer was filtered'
  if (calls.length > 0) return null
  if (finish === 'length') return 'The answer was cut off'
  return text.trim() === '' ? 'The answer is empty' : null
}
