/** A model behind an endpoint: choke, redact, send, decode. One request, one attempt, one terminal event. */
import { hash } from 'node:crypto'
import type { ModelPort } from '@bridlewise/engine'
import { makeRefusal, ok, type Result } from '@bridlewise/shared/refusals'
import type { ModelEvent, ModelRequest } from '@bridlewise/shared/wire'
import { type Arrivals, createArrivals } from './arrivals.ts'
import { writeBody } from './body.ts'
import { choke } from './choke.ts'
import { createDecoder, type Decoder } from './decode.ts'
import { type EventStream, readEventStream } from './event-stream.ts'
import { EndpointFailure, nonsense } from './failures.ts'
import { nameMessages } from './named-message.ts'
import { startingProfile } from './profile.ts'
import type { Redaction } from './redaction.ts'
import { type Reply, readAll, type Transport } from './transport.ts'
import type { EgressDesk, Endpoint, Leaving, ModelLimits } from './types.ts'
import { leaveForeignThoughts } from './vendor-fields.ts'
import { createWatch, type Watch } from './watch.ts'

export interface EndpointLine {
  readonly endpoint: Endpoint
  readonly redaction: Redaction
  readonly desk: EgressDesk
  readonly transport: Transport
  readonly limits: ModelLimits
  readonly nextId: () => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function createEndpointModel(line: EndpointLine): ModelPort {
  return { fixture: false, stream: (request, signal) => streamAnswer(line, request, signal) }
}

async function* streamAnswer(line: EndpointLine, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const prepared = await prepare(line, request, signal)
  if (!prepared.ok) return yield { type: 'failed', refusal: prepared.refusal }
  const held = line.desk.hold(prepared.value, signal)
  if (held) {
    yield { type: 'waiting', for: 'person', until: held.until }
    const answer = await held.answer
    if (signal.aborted) return yield { type: 'cancelled' }
    if (!answer.ok) return yield { type: 'failed', refusal: answer.refusal }
  }
  // Recorded and said before a byte leaves, in one commit where who hears of it records it too.
  const departing = line.desk.depart(prepared.value)
  departing.catch(() => undefined)
  yield { type: 'sent', egress: prepared.value.egress }
  await departing
  if (signal.aborted) return yield { type: 'cancelled' }

  const arrivals = createArrivals()
  const watch = createWatch(line.limits, signal, (what, leftMs) =>
    arrivals.add({ type: 'waiting', for: what, until: line.now() + leftMs }),
  )
  const decoder = createDecoder(line.limits, line.nextId)
  const reading = readAnswer(line, { body: prepared.value.body, decoder, arrivals }, watch)
  // Who leaves early does not wait for what is told here.
  reading.catch(() => undefined)
  try {
    yield* arrivals
  } finally {
    watch.stop()
  }
  await reading
  if (signal.aborted) return yield { type: 'cancelled' }
  const sent = { messages: prepared.value.request.messages, body: prepared.value.body }
  for (const event of ending(decoder, watch)) {
    yield event.type === 'failed' ? { ...event, refusal: nameMessages(event.refusal, sent) } : event
  }
}

interface Reading {
  readonly body: string
  readonly decoder: Decoder
  readonly arrivals: Arrivals
}

/** Send, and decode what comes in the moment it comes: a slow reader is not taken for a silent endpoint. */
async function readAnswer(line: EndpointLine, { body, decoder, arrivals }: Reading, watch: Watch): Promise<void> {
  const accept = (chunk: unknown) => {
    const { events, refusal, moved } = decoder.accept(chunk)
    for (const event of events) arrivals.add(event)
    if (moved) watch.progress()
    if (decoder.finished) watch.finishing()
    if (refusal) throw new EndpointFailure(refusal)
  }
  const request = { endpoint: line.endpoint, path: '/chat/completions', body, accept: 'text/event-stream' } as const
  const stream = readEventStream({ onEvent: accept, redact: line.redaction.text, limit: line.limits.lineBytes })
  try {
    const reply = await line.transport.send(request, watch, line.redaction.text)
    if (!reply.whole) return await readEvents(reply, stream, watch)
    stream.document(await readAll(reply, watch))
    if (!decoder.finished) throw new EndpointFailure(nonsense('it is a JSON document'))
  } catch (thrown) {
    const refusal = EndpointFailure.of(thrown)
    if (refusal === null) throw thrown
    watch.fail(refusal)
  } finally {
    arrivals.end()
  }
}

async function readEvents(reply: Reply, stream: EventStream, watch: Watch): Promise<void> {
  await reply.read((bytes) => {
    stream.feed(bytes)
    if (!stream.done) return 'more'
    // Some vendors give no reason for stopping and only say that they have.
    watch.finishing()
    return 'enough'
  })
  if (!stream.done && !watch.signal.aborted) stream.end()
}

/** What the answer comes to. A connection that broke after the model had stopped lost nothing. */
function* ending(decoder: Decoder, watch: Watch): Generator<ModelEvent> {
  const broken = watch.problem
  const unusable = broken?.code === 'answer_too_large' || broken?.code === 'endpoint_nonsense'
  if (decoder.began && watch.finished && !unusable) return yield* decoder.end()
  if (decoder.usage) yield { type: 'usage', usage: decoder.usage }
  yield { type: 'failed', refusal: broken ?? (decoder.began ? makeRefusal('endpoint_broke_off') : nonsense('it held no event')) }
}

async function prepare(line: EndpointLine, request: ModelRequest, signal: AbortSignal): Promise<Result<Leaving>> {
  const profile = line.endpoint.profile ?? startingProfile(line.endpoint.kind, request.modelId)
  const withheld = line.desk.withhold(request)
  if (!withheld.ok) return withheld
  const choked = choke(leaveForeignThoughts(withheld.value.request, line.endpoint.baseUrl), profile.contextWindow)
  if (!choked.ok) return choked
  const redacted = await line.redaction.request(choked.value, signal)
  if (!redacted.ok) return redacted
  const { request: clean, counts, countsOf, vendorLeftOut } = redacted.value
  const body = writeBody(clean, profile)
  return ok({
    request: clean,
    body,
    redactions: countsOf,
    egress: {
      endpoint: line.endpoint.baseUrl,
      modelId: request.modelId,
      bytes: Buffer.byteLength(body),
      digest: hash('sha256', body),
      messages: clean.messages.length,
      tools: clean.tools.length,
      redactions: counts,
      withheld: withheld.value.counts,
      ...(vendorLeftOut > 0 ? { vendorLeftOut } : {}),
      fixture: false,
    },
  })
}
