/**
 * From a vendor's chunks to model events. Tolerant where vendors differ in form, strict where a
 * difference would change what the model said.
 *
 * Absent, null and empty content are the same. Usage is cumulative: the last report counts.
 */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { Finish, ModelEvent, Usage, VendorFields } from '@bridlewise/shared/wire'
import { assembleCalls } from './assembly.ts'
import { isRecord, nonsense, refusalInBand } from './failures.ts'
import { textIn, thoughtIn } from './texts.ts'
import type { ModelLimits } from './types.ts'
import { readUsage } from './usage.ts'
import { fieldsAmong, mergeFields } from './vendor-fields.ts'

export interface Decoder {
  accept(chunk: unknown): Decoded
  /** Whether the model said why it stopped. */
  readonly finished: boolean
  /** Whether any chunk was one of a chat completion. */
  readonly began: boolean
  /** The calls, the usage and the end. Only after the stream was complete. */
  end(): readonly ModelEvent[]
  /** What is known about usage, for an answer that failed. */
  readonly usage: Usage | null
}

export interface Decoded {
  /** Events of one chunk, in order. */
  readonly events: readonly ModelEvent[]
  /** The answer cannot go on. */
  readonly refusal: Refusal | null
  /** Whether it was a part of the answer. A ping is none. */
  readonly moved: boolean
}

/** The names that reasoning comes under. */
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
/** What a vendor adds to an answer and wants back with it. */
const returnedFields = ['extra_content', 'reasoning_details']
/** Reasons for stopping that are failures of the endpoint. */
const failures = new Set(['error', 'insufficient_system_resource', 'abort'])

export function createDecoder(limits: Pick<ModelLimits, 'answerLength' | 'calls'>, nextId: () => string): Decoder {
  const calls = assembleCalls(nextId)
  let finish: string | null = null
  let usage: Usage | null = null
  let length = 0
  let began = false
  /** The first half of a character whose second comes with the next chunk. */
  let half = ''
  let field: string | null = null
  let extra: VendorFields['extra'] = null

  function accept(chunk: unknown): Decoded {
    if (!isRecord(chunk)) return { events: [], refusal: nonsense('an event is not an object'), moved: false }
    const reported = readUsage(chunk['usage'])
    // A report of nothing after one of something is a placeholder.
    if (reported && (usage === null || reported.inputTokens + reported.outputTokens > 0)) usage = reported
    const choices = chunk['choices']
    const moved = Array.isArray(choices) || reported !== null
    began ||= moved
    const choice = Array.isArray(choices) ? choices.find((one) => isRecord(one) && !one['index']) : undefined
    if (!isRecord(choice)) return { events: [], refusal: null, moved }
    return { ...acceptChoice(choice), moved }
  }

  function acceptChoice(choice: Readonly<Record<string, unknown>>): Pick<Decoded, 'events' | 'refusal'> {
    const events: ModelEvent[] = []
    const tell = (event: ModelEvent) => void events.push(event)
    // An answer that was not streamed has its words in a message.
    const delta = [choice['delta'], choice['message']].find(isRecord) ?? {}
    acceptWords(delta, tell)
    for (const fragment of fragmentsIn(delta)) {
      if (calls.count <= limits.calls) length += calls.accept(fragment, tell)
    }
    extra = mergeFields(extra, fieldsAmong(delta, returnedFields))
    const reason = choice['finish_reason']
    if (typeof reason === 'string' && reason !== '') {
      if (failures.has(reason)) return { events, refusal: refusalInBand(`it stopped with ${reason}`, (text) => text) }
      finish = reason
    }
    if (calls.count > limits.calls) return { events, refusal: nonsense(`more than ${limits.calls} calls in one answer`) }
    if (length > limits.answerLength) return { events, refusal: makeRefusal('answer_too_large', { limit: limits.answerLength }) }
    return { events, refusal: null }
  }

  function acceptWords(delta: Readonly<Record<string, unknown>>, tell: (event: ModelEvent) => void): void {
    const name = reasoningFields.find((one) => textIn(delta[one]) !== '')
    field ??= name ?? null
    const reasoning = name ? textIn(delta[name]) : thoughtIn(delta['content'])
    const whole = half + (textIn(delta['content']) || textIn(delta['refusal']))
    half = /[\ud800-\udbff]$/.test(whole) ? whole.slice(-1) : ''
    const text = half === '' ? whole : whole.slice(0, -1)
    length += text.length + reasoning.length
    if (reasoning) tell({ type: 'reasoning', text: reasoning })
    if (text) tell({ type: 'text', text })
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
      const vendor: VendorFields = { field, extra }
      return [
        ...(half === '' ? [] : [{ type: 'text' as const, text: half }]),
        ...calls.end(),
        ...(usage ? [{ type: 'usage' as const, usage }] : []),
        { type: 'end', finish: finishOf(finish, calls.count), ...(field || extra ? { vendor } : {}) },
      ]
    },
  }
}

/** The fragments of calls in a delta; the name for a single call is older than the list. */
function fragmentsIn(delta: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (Array.isArray(delta['tool_calls'])) return delta['tool_calls']
  return isRecord(delta['function_call']) ? [{ function: delta['function_call'] }] : []
}

/** Vendors disagree on `stop` beside calls; what was sent decides. Only `length` says that something is missing. */
function finishOf(reason: string | null, calls: number): Finish {
  const word = reason?.toLowerCase() ?? ''
  if (word === 'length' || word === 'max_tokens') return 'length'
  if (word === 'content_filter' || word === 'safety') return 'filter'
  return calls > 0 ? 'calls' : 'stop'
}
