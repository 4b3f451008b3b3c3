/** One small request of a probe, and all that its answer shows. */
import { hash } from 'node:crypto'
import type { Refusal } from '@bridlewise/shared/refusals'
import type { Egress, ModelCall, Profile } from '@bridlewise/shared/wire'
import { createDecoder } from './decode.ts'
import { readEventStream } from './event-stream.ts'
import { EndpointFailure, isRecord, nonsense, parsedOrNull } from './failures.ts'
import { createRedaction } from './redaction.ts'
import { readAll, type Transport } from './transport.ts'
import type { Endpoint, ModelLimits } from './types.ts'
import { createWatch } from './watch.ts'

export interface TrialLine {
  readonly endpoint: Endpoint
  readonly modelId: string
  readonly transport: Transport
  readonly limits: ModelLimits
  /** Told before a request leaves. Contract: when it resolves the record is durable. */
  readonly onSend: (egress: Egress) => Promise<void>
}

export interface Trial {
  /** Why there is no answer; null when there is one. */
  readonly refusal: Refusal | null
  /** The answer came in one piece. */
  readonly whole: boolean
  readonly calls: readonly ModelCall[]
  /** Whether every fragment of a call had an index, and whether a name came late; null without calls. */
  readonly fragments: { readonly indexed: boolean; readonly lateName: boolean } | null
  readonly usage: boolean
  readonly reasoning: Profile['reasoning']['field']
  /** The reasoning itself, for sending it back. */
  readonly thought: string
  /** Where an error said what is wrong; null when there was none. */
  readonly errorShape: Profile['errors'] | null
}

const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

/** Send one body and read its whole answer. Contract: never rejects for what the endpoint does; one attempt. */
export async function tryBody(line: TrialLine, body: object, signal: AbortSignal): Promise<Trial> {
  const text = JSON.stringify(body)
  await line.onSend(egressOf(line, body, text))
  const watch = createWatch(line.limits, signal)
  const redaction = createRedaction(line.endpoint.apiKey ? [line.endpoint.apiKey] : [])
  const chunks: unknown[] = []
  const decoder = createDecoder(line.limits, () => `probe_${chunks.length}`)
  let errorShape: Trial['errorShape'] = null
  let refusal: Refusal | null = null
  let whole = false
  const accept = (chunk: unknown) => {
    chunks.push(chunk)
    const decoded = decoder.accept(chunk)
    if (decoded.moved) watch.progress()
    if (decoder.finished) watch.finishing()
    if (decoded.refusal) throw new EndpointFailure(decoded.refusal)
  }
  const stream = readEventStream({ onEvent: accept, redact: redaction.text, limit: line.limits.lineBytes })
  try {
    const onError = (answer: string) => {
      errorShape = shapeOf(answer)
    }
    const request = {
      endpoint: line.endpoint,
      path: '/chat/completions',
      body: text,
      accept: 'text/event-stream',
      onError,
    } as const
    const reply = await line.transport.send(request, watch, redaction.text)
    whole = reply.whole
    if (whole) stream.document(await readAll(reply, watch))
    else {
      await reply.read((bytes) => {
        stream.feed(bytes)
        if (!stream.done) return 'more'
        watch.finishing()
        return 'enough'
      })
      if (!stream.done && !watch.signal.aborted) stream.end()
    }
    if (!decoder.began) refusal = watch.problem ?? nonsense('it held no event')
  } catch (thrown) {
    refusal = watch.problem ?? EndpointFailure.of(thrown)
    if (refusal === null && !signal.aborted) throw thrown
  } finally {
    watch.stop()
  }
  const calls = decoder.began ? decoder.end().flatMap((event) => (event.type === 'call_end' ? [event.call] : [])) : []
  return {
    refusal,
    whole,
    calls,
    usage: decoder.usage !== null,
    errorShape,
    fragments: fragmentsIn(chunks),
    ...thoughtsIn(chunks),
  }
}

/** Break an answer off at its first event. Gives whether there was one. */
export async function tryLeaving(line: TrialLine, body: object, signal: AbortSignal): Promise<boolean> {
  const text = JSON.stringify(body)
  await line.onSend(egressOf(line, body, text))
  const leaving = new AbortController()
  const watch = createWatch(line.limits, AbortSignal.any([signal, leaving.signal]))
  const request = { endpoint: line.endpoint, path: '/chat/completions', body: text, accept: 'text/event-stream' } as const
  let began = false
  try {
    const reply = await line.transport.send(request, watch, createRedaction([]).text)
    await reply.read(() => {
      began = true
      leaving.abort()
      return 'enough'
    })
  } catch (thrown) {
    if (EndpointFailure.of(thrown) === null && !leaving.signal.aborted && !signal.aborted) throw thrown
  } finally {
    watch.stop()
  }
  return began
}

/** What left, in the words of any other request: a probe holds nothing of a person, so nothing is replaced. */
function egressOf({ endpoint, modelId }: TrialLine, body: object, text: string): Egress {
  const { messages, tools } = body as { messages?: unknown; tools?: unknown }
  return {
    endpoint: endpoint.baseUrl,
    modelId,
    bytes: Buffer.byteLength(text),
    digest: hash('sha256', text),
    messages: Array.isArray(messages) ? messages.length : 0,
    tools: Array.isArray(tools) ? tools.length : 0,
    redactions: {},
    fixture: false,
  }
}

function deltasIn(chunks: readonly unknown[]): Readonly<Record<string, unknown>>[] {
  return chunks.flatMap((chunk) => {
    const choices = isRecord(chunk) ? chunk['choices'] : null
    const [choice] = Array.isArray(choices) ? choices : []
    if (!isRecord(choice)) return []
    return [choice['delta'], choice['message']].filter(isRecord)
  })
}

function fragmentsIn(chunks: readonly unknown[]): Trial['fragments'] {
  const fragments = deltasIn(chunks).flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? calls.filter(isRecord) : []))
  const [first] = fragments
  if (!first) return null
  const named = (fragment: Readonly<Record<string, unknown>>) =>
    isRecord(fragment['function']) && typeof fragment['function']['name'] === 'string' && fragment['function']['name'] !== ''
  return { indexed: fragments.every(({ index }) => Number.isInteger(index)), lateName: !named(first) && fragments.some(named) }
}

function thoughtsIn(chunks: readonly unknown[]): Pick<Trial, 'reasoning' | 'thought'> {
  for (const field of reasoningFields) {
    const pieces = deltasIn(chunks).flatMap((delta) => (typeof delta[field] === 'string' ? [delta[field]] : []))
    const thought = pieces.join('')
    if (thought !== '') return { reasoning: field, thought }
  }
  return { reasoning: null, thought: '' }
}

function shapeOf(answer: string): Profile['errors'] {
  const body = parsedOrNull(answer)
  if (body === null) return 'text'
  if (isRecord(body['error'])) return 'error.message'
  return body['detail'] ? 'detail' : 'message'
}
