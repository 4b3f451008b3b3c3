/** What came with an answer beside its words: kept within bounds, and told again to whom it came from. */
import type { BeatPayload, Egress, ModelCall, ModelMessage, Profile, VendorFields } from '@bridlewise/shared/wire'

/** A thought as the ledger holds it. */
export type KeptThought = BeatPayload<'thought'>

/** Of the reasoning of one answer, and of all that its vendor added as JSON. In UTF-16 units. */
export const thoughtBounds = { reasoning: 128 * 1024, fields: 256 * 1024 }

export interface HeardThought {
  readonly step: number
  readonly sentTo: Pick<Egress, 'endpoint' | 'modelId'> | null
  readonly reasoning: string
  readonly vendor: VendorFields | null
  readonly calls: readonly ModelCall[]
}

/**
 * What is kept of a whole answer; null when there is nothing.
 *
 * Contract: what would outgrow a bound is left out whole, never cut: half a thought or signature is worse than none.
 */
export function keepThought({ step, sentTo, reasoning, vendor, calls }: HeardThought): KeptThought | null {
  if (sentTo === null) return null
  let left = thoughtBounds.fields
  const within = (fields: Fields | null | undefined): Fields | null => {
    const length = fields ? JSON.stringify(fields).length : 0
    if (!fields || length > left) return null
    left -= length
    return fields
  }
  const extra = within(vendor?.extra)
  const ofCalls = calls.flatMap((call) => {
    const fields = within(call.extra)
    return fields ? [[call.id, fields] as const] : []
  })
  const kept = reasoning.length > thoughtBounds.reasoning ? '' : reasoning
  if (kept === '' && extra === null && ofCalls.length === 0) return null
  return { step, ...sentTo, field: vendor?.field ?? null, reasoning: kept, extra, calls: Object.fromEntries(ofCalls) }
}

type Fields = Record<string, unknown> | Readonly<Record<string, unknown>>
type AnswerMessage = Extract<ModelMessage, { role: 'assistant' }>

/** Who is asked next, and whether it wants its reasoning back. */
export interface Listener {
  readonly endpoint: string
  readonly modelId: string
  readonly reasoning: Profile['reasoning']['back']
}

/**
 * An answer with what of its thought is told again.
 *
 * Contract: nothing to another endpoint or model than it came from. Fields go back as they came;
 * reasoning beside calls and where it is wanted, since elsewhere it is paid for and not read.
 */
export function withThought(message: AnswerMessage, kept: KeptThought | null, listener: Listener | null): AnswerMessage {
  if (kept === null || listener === null) return message
  const { endpoint, modelId, field, extra } = kept
  if (endpoint !== listener.endpoint || modelId !== listener.modelId) return message
  const reasoning = listener.reasoning === 'echo' && message.calls.length > 0 ? kept.reasoning : ''
  const calls = message.calls.map((call) => withFields(call, kept.calls[call.id]))
  const says = reasoning !== '' || extra !== null || calls.some((call) => call.extra)
  return says ? { ...message, calls, thought: { endpoint, modelId, field, reasoning, extra } } : message
}

function withFields(call: ModelCall, extra: Fields | undefined): ModelCall {
  return extra ? { ...call, extra } : call
}
