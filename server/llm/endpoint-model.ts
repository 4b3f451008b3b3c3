/** A model behind an endpoint: choke, redact, send, decode. One request, one attempt, one terminal event. */
import { hash } from 'node:crypto'
import type { ModelPort } from '@bridlewise/engine'
import { makeRefusal, ok, type Refusal, type Result } from '@bridlewise/shared/refusals'
import type { Egress, ModelEvent, ModelRequest } from '@bridlewise/shared/wire'
import type OpenAI from 'openai'
import { writeBody } from './body.ts'
import { choke } from './choke.ts'
import { createDecoder, type Decoder } from './decode.ts'
import { EndpointFailure, nonsense, refusalInBand } from './failures.ts'
import { gather } from './gather.ts'
import { startingProfile } from './profile.ts'
import type { Redaction } from './redaction.ts'
import type { Transport } from './transport.ts'
import type { Endpoint, ModelLimits } from './types.ts'
import { createWatch, type Watch } from './watch.ts'

export interface EndpointLine {
  readonly endpoint: Endpoint
  readonly redaction: Redaction
  readonly transport: Transport
  readonly limits: ModelLimits
  readonly nextId: () => string
}

export function createEndpointModel(line: EndpointLine): ModelPort {
  return { fixture: false, stream: (request, signal) => streamAnswer(line, request, signal) }
}

interface Prepared {
  readonly body: string
  readonly egress: Egress
}

async function* streamAnswer(line: EndpointLine, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const prepared = prepare(line, request)
  if (!prepared.ok) return yield { type: 'failed', refusal: prepared.refusal }
  // Said before a byte leaves, so that the record can be durable first.
  yield { type: 'sent', egress: prepared.value.egress }
  if (signal.aborted) return yield { type: 'cancelled' }

  const watch = createWatch(line.limits, signal)
  const decoder = createDecoder(line.limits, line.nextId)
  let failure: Refusal | null = null
  try {
    const chunks = await openChunks(line, prepared.value.body, watch)
    for await (const together of gather(chunks, watch.progress)) {
      const { events, refusal } = decodeAll(decoder, together)
      if (decoder.finished) watch.finishing()
      yield* events
      if (refusal) watch.fail(refusal)
      if (watch.problem) break
    }
  } catch (thrown) {
    failure = watch.signal.aborted ? null : translate(thrown, line.redaction)
  } finally {
    watch.stop()
  }
  if (signal.aborted) return yield { type: 'cancelled' }
  yield* ending(decoder, watch, failure)
}

/** The events of several chunks, words beside words joined, up to where the answer cannot go on. */
function decodeAll(decoder: Decoder, chunks: readonly unknown[]): ReturnType<Decoder['accept']> {
  const events: ModelEvent[] = []
  for (const chunk of chunks) {
    const decoded = decoder.accept(chunk)
    for (const event of decoded.events) {
      const last = events.at(-1)
      const joins = (event.type === 'text' || event.type === 'reasoning') && last?.type === event.type
      if (joins) events[events.length - 1] = { ...event, text: last.text + event.text }
      else events.push(event)
    }
    if (decoded.refusal) return { events, refusal: decoded.refusal }
  }
  return { events, refusal: null }
}

/** What the answer comes to. A connection that broke after the model had stopped lost nothing. */
function* ending(decoder: Decoder, watch: Watch, failure: Refusal | null): Generator<ModelEvent> {
  const broken = watch.problem ?? failure
  const unusable = broken?.code === 'answer_too_large' || broken?.code === 'endpoint_nonsense'
  if (decoder.began && watch.finished && !unusable) return yield* decoder.end()
  if (decoder.usage) yield { type: 'usage', usage: decoder.usage }
  yield { type: 'failed', refusal: broken ?? (decoder.began ? makeRefusal('endpoint_broke_off') : nonsense('it held no event')) }
}

function prepare(line: EndpointLine, request: ModelRequest): Result<Prepared> {
  const profile = line.endpoint.profile ?? startingProfile(line.endpoint.kind, request.modelId)
  const choked = choke(request, profile.contextWindow)
  if (!choked.ok) return choked
  const redacted = line.redaction.request(choked.value)
  if (!redacted.ok) return redacted
  const { request: clean, counts } = redacted.value
  const body = writeBody(clean, profile)
  return ok({
    body,
    egress: {
      endpoint: line.endpoint.baseUrl,
      modelId: request.modelId,
      bytes: Buffer.byteLength(body),
      digest: hash('sha256', body),
      messages: clean.messages.length,
      tools: clean.tools.length,
      redactions: counts,
      fixture: false,
    },
  })
}

/**
 * Open the stream through the SDK, which decodes the events.
 *
 * Its own idea of the request is not sent: `fetch` below sends the body that was hashed, with
 * headers of ours. It reads its environment variables only for options that are left out.
 */
async function openChunks(line: EndpointLine, body: string, watch: Watch): Promise<AsyncIterable<unknown>> {
  const { OpenAI: Client } = await loadSdk()
  const client = new Client({
    baseURL: line.endpoint.baseUrl,
    apiKey: 'not sent',
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    timeout: 2 ** 31 - 1,
    fetch: () =>
      line.transport.send(
        { endpoint: line.endpoint, path: '/chat/completions', body, accept: 'text/event-stream' },
        watch,
        line.redaction.text,
      ),
  })
  const params: OpenAI.ChatCompletionCreateParamsStreaming = { model: 'not sent', messages: [], stream: true }
  return client.chat.completions.create(params, { signal: watch.signal })
}

let sdk: Promise<typeof import('openai')> | null = null

/** The SDK is loaded when a model is first wanted: the server's start does not wait for it. */
export function loadSdk(): Promise<typeof import('openai')> {
  sdk ??= import('openai')
  return sdk
}

/** What the SDK threw while it read the stream. */
function translate(thrown: unknown, redaction: Redaction): Refusal {
  const carried = EndpointFailure.of(thrown)
  if (carried) return carried
  if (thrown instanceof SyntaxError) return nonsense('an event is not JSON')
  if (thrown instanceof Error && 'error' in thrown && thrown.error) return refusalInBand(thrown.error, redaction.text)
  return nonsense(`the stream could not be read (${thrown instanceof Error ? thrown.name : typeof thrown})`)
}
