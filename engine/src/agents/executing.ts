/** Executing: one admitted call, from the beat that announces it to the beat that says how it ended. */
import type { BeatPayload } from '@bridlewise/shared/wire'
import { defaultDeadlineMs, type ExecutedCall, executeCall, type ToolEffect } from '../tools/index.ts'
import { followOutput } from './live-output.ts'
import { toArguments } from './messages.ts'
import { filesOf } from './origin.ts'
import { lineOf, record, recordTogether, settle, type Turn, type TurnState, takeExecutor } from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/**
 * Run the call.
 *
 * Contract: its beat is durable before anything happens, its effects come next, its result last. A
 * call that was begun gets its result also when the turn is stopped meanwhile.
 */
export async function* executeGated(
  turn: Turn,
  { answer, at, call }: Omit<Extract<TurnState, { name: 'executing' }>, 'name'>,
): AsyncGenerator<TurnEvent, TurnState> {
  const executor = takeExecutor(turn)
  const { clock } = turn.context.ports
  const { callId, tool, headline, input } = call
  const announced = yield* record(turn, {
    kind: 'call',
    source: 'model',
    derivation: [answer.beatId],
    payload: { callId, step: answer.step, tool: tool.name, capability: tool.capability, headline, input },
  })
  const startedAt = clock.elapsed()
  const until = clock.now() + (tool.deadlineMs?.(input) ?? defaultDeadlineMs)
  const deadline = { type: 'waiting', for: 'call', step: answer.step, until, attempt: null } as const
  const result = yield* followOutput({ callId, deadline }, (onOutput) =>
    executeCall(executor, { ...call, onOutput }, turn.signal),
  )
  for (const effect of result.effects)
    if (effect.effect === 'file') for (const { tally } of lineOf(turn)) tally.filesChanged.add(effect.target)
  const ms = clock.elapsed() - startedAt
  const ended = yield* recordTogether(turn, (write) => {
    const effects = result.effects.map((effect) =>
      write({
        kind: 'effect',
        source: effect.effect === 'process' ? 'guardian' : 'tool',
        derivation: [announced.id],
        payload: toEffect(callId, effect),
      }),
    )
    return write({
      kind: 'result',
      source: 'tool',
      derivation: [announced.id, ...effects.map(({ id }) => id)],
      payload: { ...toResult(result), callId, tool: tool.name, ms },
    })
  })
  turn.loop.record(call.key, tool, result)
  settle(turn, {
    call: { id: callId, name: tool.name, arguments: toArguments(input) },
    result: { role: 'tool', callId, text: result.text, seq: ended.seq, files: filesOf(result) },
    beatId: ended.id,
    seq: announced.seq,
    ran: true,
  })
  return { name: 'gating', answer, at: at + 1 }
}

function toEffect(callId: string, effect: ToolEffect): BeatPayload<'effect'> {
  if (effect.effect === 'process') return { callId, ...effect, before: null, after: null, diff: null }
  return { callId, ...effect }
}

function toResult({ status, summary, text, details, refusal, spill }: ExecutedCall) {
  return { status, summary, text, details, refusal, spill: spill ? { ...spill } : null }
}
