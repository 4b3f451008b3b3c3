/**
 * From a vendor's chunks to model events. Tolerant where vendors differ in form, strict where a
 * difference would change what the model said.
 *
 * Absent, null and empty content are the same. Fragments of a call belong together by `index`; where
 * a vendor leaves it out, an id opens a call and what has no id continues the last one. Usage is
 * cumulative: the last report counts.
 */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { Finish, ModelEvent, Usage } from '@bridlewise/shared/wire'
import { isRecord, nonsense } from './failures.ts'
import type { ModelLimits } from './types.ts'
import { readUsage } from './usage.ts'

export interface Decoder {
  /** Events of one chunk, in order. A refusal means that the answer cannot go on. */
  accept(chunk: unknown): { readonly events: readonly ModelEvent[]; readonly refusal: Refusal | null }
  /** Whether the model said why it stopped. */
  readonly finished: boolean
  /** Whether any chunk was one of a chat completion. */
  readonly began: boolean
  /** The calls, the usage and the end. Only after the stream was complete. */
  end(): readonly ModelEvent[]
  /** What is known about usage, for an answer that failed. */
  readonly usage: Usage | null
}

interface OpenCall {
  /** The vendor's, for telling fragments apart; empty when it gave none. */
  readonly vendorId: string
  readonly id: string
  name: string
  arguments: string
  announced: boolean
}

type Fields = Readonly<Record<string, unknown>>

export function createDecoder(limits: Pick<ModelLimits, 'answerLength' | 'calls'>, nextId: () => string): Decoder {
  const calls: OpenCall[] = []
  const byIndex = new Map<number, OpenCall>()
  let finish: string | null = null
  let usage: Usage | null = null
  let length = 0
  let began = false

  function accept(chunk: unknown): ReturnType<Decoder['accept']> {
    const events: ModelEvent[] = []
    if (!isRecord(chunk)) return { events, refusal: nonsense('an event is not an object') }
    usage = readUsage(chunk['usage']) ?? usage
    const choice = Array.isArray(chunk['choices']) ? chunk['choices'].find((one) => isRecord(one) && !one['index']) : undefined
    if (Array.isArray(chunk['choices']) || usage) began = true
    if (!isRecord(choice)) return { events, refusal: null }
    const delta = isRecord(choice['delta']) ? choice['delta'] : {}
    const text = textIn(delta['content']) || textIn(delta['refusal'])
    const reasoning = textIn(delta['reasoning_content']) || textIn(delta['reasoning'])
    length += text.length + reasoning.length
    if (reasoning) events.push({ type: 'reasoning', text: reasoning })
    if (text) events.push({ type: 'text', text })
    for (const fragment of Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []) {
      if (isRecord(fragment) && calls.length <= limits.calls) acceptFragment(fragment, events)
    }
    if (typeof choice['finish_reason'] === 'string' && choice['finish_reason']) finish = choice['finish_reason']
    if (calls.length > limits.calls) return { events, refusal: nonsense(`more than ${limits.calls} calls in one answer`) }
    if (length > limits.answerLength) return { events, refusal: makeRefusal('answer_too_large', { limit: limits.answerLength }) }
    return { events, refusal: null }
  }

  function acceptFragment(fragment: Fields, events: ModelEvent[]): void {
    const content = isRecord(fragment['function']) ? fragment['function'] : {}
    const name = textIn(content['name'])
    const piece = argumentsIn(content['arguments'])
    const call = callOf(fragment, name)
    // Some vendors repeat the whole name with every fragment.
    if (name && name !== call.name) call.name += name
    call.arguments += piece
    length += piece.length
    if (piece && call.name) announce(call, events)
  }

  function callOf(fragment: Fields, name: string): OpenCall {
    const vendorId = textIn(fragment['id'])
    const index = Number.isInteger(fragment['index']) ? (fragment['index'] as number) : null
    const known = index === null ? knownWithoutIndex(vendorId, name) : byIndex.get(index)
    // Another id under an index that is taken is another call: some vendors send 0 for all of them.
    const same = known && (!vendorId || !known.vendorId || vendorId === known.vendorId)
    const call = same ? known : open(vendorId)
    if (index !== null) byIndex.set(index, call)
    return call
  }

  function knownWithoutIndex(vendorId: string, name: string): OpenCall | undefined {
    const last = calls.at(-1)
    if (vendorId) return calls.findLast((call) => call.vendorId === vendorId)
    // Neither index nor id: a name after complete arguments can only begin the next call.
    return last && name && last.name && isJson(last.arguments) ? undefined : last
  }

  function open(vendorId: string): OpenCall {
    const taken = !vendorId || calls.some((call) => call.id === vendorId)
    const call: OpenCall = { vendorId, id: taken ? nextId() : vendorId, name: '', arguments: '', announced: false }
    calls.push(call)
    return call
  }

  return {
    accept,
    get finished() {
      return finish !== null
    },
    get began() {
      return began
    },
    get usage() {
      return usage
    },
    end() {
      const events: ModelEvent[] = []
      for (const call of calls) {
        announce(call, events)
        events.push({ type: 'call_end', call: { id: call.id, name: call.name, arguments: call.arguments } })
      }
      if (usage) events.push({ type: 'usage', usage })
      events.push({ type: 'end', finish: finishOf(finish, calls.length) })
      return events
    },
  }
}

function announce(call: OpenCall, events: ModelEvent[]): void {
  if (!call.announced) events.push({ type: 'call_start', callId: call.id, name: call.name })
  call.announced = true
}

/** Vendors disagree on `stop` beside calls; what was sent decides. Only `length` says that something is missing. */
function finishOf(reason: string | null, calls: number): Finish {
  const word = reason?.toLowerCase() ?? ''
  if (word === 'length' || word === 'max_tokens') return 'length'
  if (word === 'content_filter' || word === 'safety') return 'filter'
  return calls > 0 ? 'calls' : 'stop'
}

/** Text, or the text parts of a content array. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}

/** Some local servers send the arguments as an object. */
function argumentsIn(value: unknown): string {
  return isRecord(value) ? JSON.stringify(value) : textIn(value)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
