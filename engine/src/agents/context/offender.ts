/** Which message an endpoint does not take: read from its refusal, or guessed and called a guess. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { BeatPayload, ModelMessage } from '@bridlewise/shared/wire'
import type { QuarantinedItem } from './input.ts'
import { estimateMessage } from './measure.ts'
import { keyOf, placesOf } from './quarantine.ts'
import type { Reading } from './reading.ts'

export interface Offenders {
  /** More than one where they were sent as one message. */
  readonly items: readonly QuarantinedItem[]
  readonly found: NonNullable<BeatPayload<'quarantine'>['found']>
}

/** A message that may be left out. */
interface Candidate {
  readonly at: number
  readonly item: QuarantinedItem
  readonly message: ModelMessage
}

/**
 * Find what to leave out of a request that was refused; null where the refusal does not speak of a message.
 *
 * Contract: never the instructions, never a summary, never the words the turn was begun with, never
 * what is left out already. A refusal that says nothing is no evidence: the request is not at fault then.
 * The words of vendors are matched here and nowhere else in the engine; they decide what is shown as
 * left out, and nothing about what may be done.
 */
export function findOffenders(
  messages: readonly ModelMessage[],
  refusal: Refusal,
  { quarantined, input }: Pick<Reading, 'quarantined' | 'input'>,
): Offenders | null {
  const complaint = readComplaint(refusal)
  if (complaint === null) return null
  const places = placesOf(messages)
  const candidates = messages.flatMap((message, at): Candidate[] => {
    const place = places[at]
    if (!place || quarantined.has(keyOf(place))) return []
    if (message.role === 'user' && message.seq === input.promptSeq) return []
    return [{ at, item: { ...place, label: labelOf(message, messages) }, message }]
  })
  if (complaint.named.length > 0) {
    const named = candidates.filter(({ at }) => complaint.named.includes(at))
    return named.length === 0 ? null : { items: named.map(({ item }) => item), found: 'named' }
  }
  const likely = complaint.about === 'size' ? findLargest(candidates) : findSuspect(candidates, complaint.words)
  return likely && { items: [likely.item], found: complaint.about === 'size' ? 'largest' : 'likely' }
}

interface Complaint {
  readonly about: 'size' | 'content' | 'message'
  /** What the endpoint named, as places in the request; empty where it named nothing. */
  readonly named: readonly number[]
  readonly words: string
}

/** Statuses with which endpoints speak of the request itself. */
const telling: readonly unknown[] = [400, 413]

function readComplaint({ code, details = {} }: Refusal): Complaint | null {
  const { status, problem, code: vendorCode, named } = details
  if (code !== 'endpoint_refused' || !telling.includes(status)) return null
  const words = `${typeof vendorCode === 'string' ? vendorCode : ''} ${typeof problem === 'string' ? problem : ''}`.toLowerCase()
  if (elsewhere.test(words)) return null
  const places = Array.isArray(named) ? named.filter((at): at is number => typeof at === 'number') : []
  if (status === 413 || ofSize.test(words)) return { about: 'size', named: places, words }
  if (ofContent.test(words)) return { about: 'content', named: places, words }
  return places.length > 0 ? { about: 'message', named: places, words } : null
}

/** What no message is to blame for: the model, a parameter, a tool, the account, or a rule about what may be said. */
const elsewhere = new RegExp(
  [
    'model_not_found|unknown model|\\bmodel\\b[^.]{0,80}(not found|not exist|not support(?![^.]{0,60}token))',
    '(unknown|unsupported|unrecognized)[ _](parameter|value|field|argument)|\\bmax_\\w*tokens\\b[^.]{0,20}(too|must)|\\btools\\W{0,3}\\d',
    'api[ _-]?key|quota|billing|credit|rate[ _-]?limit|per minute',
    'content[ _-]?(filter|policy|management)|policy|policies|moderation|safety|flagged',
  ].join('|'),
)

const ofSize =
  /too (long|large|big|many tokens)|above_max_length|too_(long|large)|context[ _](length|window|size)|maximum (context|length|size)|exceed\w*[^.]{0,60}(context|length|size|token|maximum)|(reduce|shorten)[^.]{0,40}(length|prompt|message|input)/

const ofContent =
  /image|base64|unicode|utf-?8|surrogate|control character|malformed|(invalid|illegal|bad)[ _](content|character|byte|escape|string|message)|content[^.]{0,40}(invalid|not valid|not allowed|must be)|could not (process|parse|decode)/

/** A shorter message makes no request too long. In UTF-16 units. */
const worthLeavingOut = 1_000

function findLargest(candidates: readonly Candidate[]): Candidate | null {
  const large = candidates.filter(({ message }) => lengthOf(message) >= worthLeavingOut)
  return large.toSorted((a, b) => estimateMessage(b.message) - estimateMessage(a.message))[0] ?? null
}

function lengthOf(message: ModelMessage): number {
  const calls = message.role === 'assistant' ? message.calls : []
  return calls.reduce((sum, call) => sum + call.arguments.length, message.text.length)
}

/** The newest that holds what the endpoint complains of; else the newest result, since what is older was taken before. */
function findSuspect(candidates: readonly Candidate[], words: string): Candidate | null {
  const held = /image|base64/.test(words) ? picture : odd
  const holding = candidates.findLast(({ message }) => held.test(message.text))
  return holding ?? candidates.findLast(({ message }) => message.role === 'tool') ?? null
}

const picture = /data:image\/|;base64,/
/** Controls but line ends and tabs, what stands for half a character, private and unassigned characters. */
const odd = /[[\p{Cc}\p{Co}\p{Cn}\ufffd]--[\t\n\r]]/v

function labelOf(message: ModelMessage, messages: readonly ModelMessage[]): string {
  if (message.role === 'user') return 'an earlier message'
  if (message.role !== 'tool') return 'an answer of the model'
  const calls = messages.flatMap((one) => (one.role === 'assistant' ? one.calls : []))
  return `the result of ${calls.find(({ id }) => id === message.callId)?.name ?? 'a tool'}`
}
