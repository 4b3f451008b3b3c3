/** One subscription over fetch, so that it can carry headers: an EventSource cannot. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { makeRefusal, type Refusal } from '../refusals/index.ts'
import { buildRequest, type Route, readReply, type Transport } from './call.ts'

export interface StreamOptions {
  readonly signal?: AbortSignal
  /** Number of the last frame that was seen; the reply starts after it. */
  readonly lastEventId?: number
}

/** Why a subscription ended: the stream's own end, our abort, a lost connection, or a no. */
export type StreamEnd =
  | { readonly kind: 'closed' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'lost'; readonly refusal: Refusal }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/**
 * Subscribe once. Contract: never rejects; reconnecting is the caller's choice, with `lastEventId`
 * set to the last number it got.
 */
export async function* openStream<Frame>(
  transport: Transport,
  route: Route,
  call: StreamOptions & { readonly input: Readonly<Record<string, unknown>> },
): AsyncGenerator<Frame, StreamEnd> {
  const headers: Record<string, string> = { accept: 'text/event-stream', ...transport.headers() }
  if (call.lastEventId !== undefined) headers['last-event-id'] = String(call.lastEventId)
  const lost = (cause: unknown): StreamEnd =>
    call.signal?.aborted
      ? { kind: 'aborted' }
      : { kind: 'lost', refusal: makeRefusal('server_unreachable', { problem: String(cause) }) }

  let response: Response
  try {
    const { url } = buildRequest(transport, route, call.input)
    response = await transport.fetch(url, { headers, ...(call.signal ? { signal: call.signal } : {}) })
  } catch (cause) {
    return lost(cause)
  }
  if (!response.ok || !response.body) {
    const reply = await readReply(response)
    return reply.ok ? { kind: 'closed' } : { kind: 'refused', refusal: reply.refusal }
  }

  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await events.read()
      if (done) return { kind: 'closed' }
      yield JSON.parse(value.data) as Frame
    }
  } catch (cause) {
    return lost(cause)
  } finally {
    await events.cancel().catch(() => undefined)
  }
}
