/** Steering: what the person says while the turn runs, handed to the model before its next request. */
import { type Answer, record, type Turn, type TurnState } from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/**
 * Hand over what waits, in order. Gives whether there was something.
 *
 * Contract: each message is in the ledger before the model gets it; it stands after the results of the
 * step, where every endpoint takes it.
 */
export async function* deliverSteering(turn: Turn): AsyncGenerator<TurnEvent, boolean> {
  const waiting = turn.input.steering?.() ?? []
  for (const { messageId, text } of waiting) {
    const beat = yield* record(turn, { kind: 'message', source: 'user', payload: { messageId, role: 'user', text } })
    turn.messages.push({ role: 'user', text })
    turn.basis = [...turn.basis, beat.id]
  }
  return waiting.length > 0
}

/** Where the model has nothing more to do and the person has said something, the turn goes on instead of ending. */
export async function* hearOut(turn: Turn, answer: Answer, next: TurnState): AsyncGenerator<TurnEvent, TurnState> {
  if (next.name !== 'done' || next.ending.kind !== 'completed') return next
  const said = turn.messages.length
  if (!(yield* deliverSteering(turn))) return next
  if (answer.text !== '') turn.messages.splice(said, 0, { role: 'assistant', text: answer.text, calls: [] })
  return { name: 'assembling' }
}
