/** Healing: a request that an endpoint refused because of one message goes out once more without it. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { ModelRequest } from '@bridlewise/shared/wire'
import { findOffenders, leaveOut, meterOf } from './context/index.ts'
import { record, type Turn } from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/** A request that ended without a word. */
export interface Refused {
  readonly refusal: Refusal
  /** The beat of the response. */
  readonly beatId: string
  /** UTF-16 units of what came before it ended. */
  readonly received: number
}

export interface Healed {
  readonly request: ModelRequest
  /** What was left out, in words. */
  readonly items: string
}

/**
 * Leave out what the endpoint does not take, or null where nothing is to blame.
 *
 * Contract: nothing is deleted; the record says what is left out and why before the request goes out
 * again, and the rest of the turn and of the chat goes without it until the person restores it.
 * Who calls it asks for one request more and for no other.
 */
export async function* healRequest(
  turn: Turn,
  request: ModelRequest,
  { refusal, beatId, received }: Refused,
): AsyncGenerator<TurnEvent, Healed | null> {
  const { reading } = turn
  const offenders = received > 0 ? null : findOffenders(request.messages, refusal, reading)
  if (offenders === null) return null
  const { items, found } = offenders
  const beat = yield* record(turn, {
    kind: 'quarantine',
    source: 'server',
    derivation: [beatId],
    payload: { items: [...items], refusal, found },
  })
  const messages = leaveOut(reading, request.messages, items)
  reading.meter = meterOf(reading, { messages, tools: request.tools })
  turn.basis = [...turn.basis, beat.id]
  return { request: { ...request, messages }, items: items.map(({ label }) => label).join(', ') }
}

/** What to tell of a request that was refused again. Another trouble than before is told as what it is. */
export function refusalAfter({ items }: Healed, refusal: Refusal): Refusal {
  if (refusal.code !== 'endpoint_refused') return refusal
  return makeRefusal('endpoint_refused_again', { ...refusal.details, items })
}
