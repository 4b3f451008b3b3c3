/** From the bytes of an event stream to its events as JSON. */
import { createParser } from 'eventsource-parser'
import { EndpointFailure, isRecord, nonsense, refusalInBand } from './failures.ts'

export interface EventStream {
  /**
   * The events that are complete with these bytes.
   *
   * Contract: any split of the same bytes gives the same events. Bytes that are no UTF-8 become
   * U+FFFD. Throws an `EndpointFailure` for an error inside the answer, for what is not JSON, and
   * for an event that is too long; what came before it in the same bytes was handed to `onEvent`.
   */
  feed(bytes: Uint8Array): void
  /** The whole body is one event: an endpoint that does not stream. Throws as `feed` does. */
  document(text: string): void
  /** The body is over: an event that lacks only its last line end counts. */
  end(): void
  /** The endpoint said that nothing follows. */
  readonly done: boolean
}

interface EventStreamParts {
  readonly onEvent: (event: unknown) => void
  /** Cleans what an error echoes of the request. */
  readonly redact: (text: string) => string
  /** Of one event, in UTF-16 units. */
  readonly limit: number
}

export function readEventStream({ onEvent, redact, limit }: EventStreamParts): EventStream {
  const decoder = new TextDecoder()
  let done = false
  const parser = createParser({
    maxBufferSize: limit,
    onEvent({ event, data }) {
      if (done || data === '') return
      if (data.startsWith('[DONE]')) done = true
      else accept(event, data)
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw new EndpointFailure(nonsense(`an event is longer than ${limit} characters`))
    },
  })

  function accept(name: string | undefined, data: string): void {
    const event = parseEvent(data, name === 'error')
    const error = errorIn(event, name)
    if (error !== null) throw new EndpointFailure(refusalInBand(error, redact))
    onEvent(event)
  }

  return {
    feed: (bytes) => parser.feed(decoder.decode(bytes, { stream: true })),
    document: (text) => accept(undefined, text),
    end: () => parser.feed(`${decoder.decode()}\n\n`),
    get done() {
      return done
    },
  }
}

/** Errors are also sent as bare text; anything else has to be JSON. */
function parseEvent(data: string, bare: boolean): unknown {
  try {
    return JSON.parse(data)
  } catch {
    if (bare) return data
    throw new EndpointFailure(nonsense('what it sent is not JSON'))
  }
}

/** An error in the place of an event, in any of the forms that are in use; null when it is none. */
function errorIn(event: unknown, name: string | undefined): unknown {
  if (name === 'error') return isRecord(event) && event['error'] ? event['error'] : event
  if (!isRecord(event)) return null
  if (event['error']) return event['error']
  return event['object'] === 'error' ? event : null
}
