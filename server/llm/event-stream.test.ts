import { describe, expect, it } from 'vitest'
import { readEventStream } from './event-stream.ts'
import { EndpointFailure } from './failures.ts'

/** The events of a stream that arrives in these pieces, and what it was given up for. */
function read(pieces: readonly (string | Uint8Array)[], limit = 10_000) {
  const events: unknown[] = []
  const stream = readEventStream({ onEvent: (event) => events.push(event), redact: (text) => text, limit })
  try {
    for (const piece of pieces) stream.feed(Buffer.from(piece as string))
    if (!stream.done) stream.end()
  } catch (thrown) {
    return { events, done: stream.done, problem: EndpointFailure.of(thrown)?.code ?? String(thrown) }
  }
  return { events, done: stream.done, problem: null }
}

const two = 'data: {"a":"ä世🐎"}\n\ndata: {"b":2}\n\n'

describe('a stream of events', () => {
  it.each<[string, string]>([
    ['as most send it', two],
    ['with CRLF', two.replaceAll('\n', '\r\n')],
    ['with CR', two.replaceAll('\n', '\r')],
    ['without the space', two.replaceAll('data: ', 'data:')],
    ['behind a byte order mark', `\ufeff${two}`],
    ['with comments, names and numbers', `: hello\n\nevent: message\nid: 7\nretry: 10\n${two}`],
    ['with an event over two lines', two.replace('{"b":', '{"b":\ndata: ')],
    ['with empty events', `data:\n\ndata: \n\n${two}`],
    ['without the last line end', two.slice(0, -1)],
    ['without the last two', two.slice(0, -2)],
  ])('is the same %s', (_how, text) => {
    expect(read([text])).toEqual({ events: [{ a: 'ä世🐎' }, { b: 2 }], done: false, problem: null })
  })

  it('is the same however its bytes are split', () => {
    const bytes = Buffer.from(`${two.replaceAll('\n', '\r\n')}: ping\r\n\r\ndata: [DONE]\r\n\r\n`)
    const whole = read([bytes])
    for (let size = 1; size < bytes.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
      expect(read(pieces), `every ${size} bytes`).toEqual(whole)
      expect(read([bytes.subarray(0, size), bytes.subarray(size)]), `at ${size}`).toEqual(whole)
    }
  })

  it('ends at [DONE], whatever follows', () => {
    expect(read([`${two}data: [DONE]\n\ndata: not json\n\n`])).toMatchObject({ done: true, problem: null })
  })

  it.each<[string, string, string]>([
    ['an error', 'data: {"error":{"message":"overloaded"}}\n\n', 'endpoint_failed'],
    ['an error with a status', 'data: {"error":{"message":"slow down","code":429}}\n\n', 'endpoint_rate_limited'],
    ['an object that says that it is an error', 'data: {"object":"error","message":"no","code":400}\n\n', 'endpoint_refused'],
    ['an event named error', 'event: error\ndata: {"message":"no"}\n\n', 'endpoint_failed'],
    ['an event named error in plain words', 'event: error\ndata: no room\n\n', 'endpoint_failed'],
    ['what is not JSON', 'data: {"cut\n\n', 'endpoint_nonsense'],
  ])('is given up for %s, after what came before', (_what, text, problem) => {
    expect(read([two + text])).toMatchObject({ events: [{ a: 'ä世🐎' }, { b: 2 }], problem })
  })

  it('holds no more than agreed of an event that never ends', () => {
    expect(
      read(
        Array.from({ length: 50 }, () => 'data: 1\n'),
        60,
      ).problem,
    ).toBe('endpoint_nonsense')
    expect(
      read(
        Array.from({ length: 50 }, () => 'data: 1\n\n'),
        60,
      ).problem,
    ).toBeNull()
  })
})
