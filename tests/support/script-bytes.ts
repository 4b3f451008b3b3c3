/** How the parts of a script look on the wire: chat completion chunks as server-sent events. */
import type { CallScript, Dialect, Part } from './script.ts'

/** The parts that put bytes on the wire; the others are about time and the connection. */
export type Written = Exclude<Part, { type: 'wait' | 'until' | 'stall' | 'break' }>

export function partBytes(part: Written, dialect: Dialect): Uint8Array {
  const event = (data: unknown) => eventText(JSON.stringify(data), dialect)
  const delta = (fields: unknown) => event(chunk([{ index: 0, delta: fields, finish_reason: null }]))
  switch (part.type) {
    case 'text':
      return Buffer.from(part.pieces.map((piece) => delta({ content: piece })).join(''))
    case 'reasoning':
      return Buffer.from(part.pieces.map((piece) => delta({ [part.field]: piece })).join(''))
    case 'call':
      return Buffer.from(
        callDeltas(part.call)
          .map((fields) => delta({ tool_calls: [fields] }))
          .join(''),
      )
    case 'delta':
      return Buffer.from(delta(part.delta))
    case 'usage':
      return Buffer.from(event({ ...(part.choices === 'empty' ? chunk([]) : chunk(undefined)), usage: part.usage }))
    case 'finish':
      return Buffer.from(event(chunk([{ index: 0, delta: {}, finish_reason: part.reason }])))
    case 'event':
      return Buffer.from(event(part.data))
    case 'raw':
      return typeof part.text === 'string' ? Buffer.from(part.text) : part.text
    case 'comment':
      return Buffer.from(`: ${part.text}${dialect.newline}${dialect.newline}`)
  }
}

export function doneBytes(dialect: Dialect): Uint8Array {
  return Buffer.from(eventText('[DONE]', dialect))
}

/** The writes that these bytes are cut into. */
export function* splitBytes(bytes: Uint8Array, every: Dialect['splitEvery']): Generator<Uint8Array> {
  let from = 0
  for (let at = 1; at < bytes.length; at += 1) {
    const isCut = every === 'characters' ? ((bytes[at] ?? 0) & 0xc0) === 0x80 : every !== null && at % every === 0
    if (!isCut) continue
    yield bytes.subarray(from, at)
    from = at
  }
  yield bytes.subarray(from)
}

function eventText(data: string, dialect: Dialect): string {
  return `${dialect.prefix}${data}${dialect.newline}${dialect.newline}`
}

function chunk(choices: unknown): Record<string, unknown> {
  return { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices }
}

/** A call as vendors stream it: id and name first, then the arguments piece by piece. */
function callDeltas(call: CallScript): unknown[] {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  const place = call.index === null ? {} : { index: call.index ?? 0 }
  const id = call.id === null ? {} : { id: call.id ?? `scripted_${call.name}_${call.index ?? 0}` }
  const first = { ...place, ...id, type: 'function', function: { name: call.name, arguments: '' } }
  const size = call.pieceLength ?? Math.max(text.length, 1)
  const pieces: unknown[] = []
  for (let at = 0; at < text.length; at += size) pieces.push({ ...place, function: { arguments: text.slice(at, at + size) } })
  return [first, ...pieces]
}
