/** What a body is made of: its texts found in it one after the other, and the rest. */
import { hash } from 'node:crypto'
import type { EgressPart, ModelMessage, ModelRequest } from '@bridlewise/shared/wire'
import type { Leaving } from '../llm/bridge.ts'

export interface ComposedPart {
  readonly part: EgressPart
  /** Null for framing. */
  readonly text: string | null
}

/**
 * Take a body apart.
 *
 * Contract: the bytes of the parts add up to those of the body, whatever its shape: only what stands in
 * it counts, no byte counts twice, and what is no text of the request is framing. `request` is what the
 * body was written from, after redaction.
 */
export function composeParts({
  request,
  body,
  redactions,
}: Pick<Leaving, 'request' | 'body' | 'redactions'>): readonly ComposedPart[] {
  const parts: ComposedPart[] = []
  const spans: Span[] = []
  let from = 0
  let left = Buffer.byteLength(body)
  const add = (rest: Omit<EgressPart, 'bytes' | 'digest' | 'redactions'>, text: string, escaped: string) => {
    const bytes = Buffer.byteLength(escaped)
    left -= bytes
    parts.push({ part: { ...rest, bytes, digest: hash('sha256', text), redactions: { ...redactions.get(text) } }, text })
  }
  for (const { text, as, ...rest } of textsOf(request)) {
    const escaped = as === 'json' ? text : JSON.stringify(text).slice(1, -1)
    const at = escaped === '' ? -1 : body.indexOf(escaped, from)
    if (at < 0) continue
    from = at + escaped.length
    spans.push({ from: at, to: from })
    add(rest, text, escaped)
  }
  for (const escaped of stringsBeside(body, spans)) add({ kind: 'vendor', ...nowhere }, JSON.parse(`"${escaped}"`), escaped)
  return [...parts, { part: { kind: 'framing', ...nowhere, bytes: left, digest: null, redactions: {} }, text: null }]
}

/** Of a body, in UTF-16 units. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Shorter ones are ids and settings. In UTF-16 units. */
const leastVendorLength = 64

/** Long strings of a body, as they are escaped, that hold none of the spans, which are in order. */
function* stringsBeside(body: string, spans: readonly Span[]): Generator<string> {
  let at = 0
  for (let from = body.indexOf('"') + 1; from > 0; ) {
    const to = endOfString(body, from)
    while ((spans[at]?.to ?? Number.POSITIVE_INFINITY) <= from) at += 1
    const covered = (spans[at]?.from ?? Number.POSITIVE_INFINITY) < to
    if (!covered && to - from >= leastVendorLength) yield body.slice(from, to)
    from = body.indexOf('"', to + 1) + 1
  }
}

/** The place of the quote that ends a string of JSON: the first that no odd number of backslashes stands before. */
function endOfString(body: string, from: number): number {
  for (let to = body.indexOf('"', from); to >= 0; to = body.indexOf('"', to + 1)) {
    let slashes = 0
    while (body[to - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return to
  }
  return body.length
}

interface RequestText extends Omit<EgressPart, 'bytes' | 'digest' | 'redactions'> {
  readonly text: string
  /** How it stands in the body: as the content of a string, or as it is. */
  readonly as: 'string' | 'json'
}

const nowhere = { tool: null, callId: null, files: [] }

/** In the order of the body: the tools, then instructions, then the conversation. */
function* textsOf({ messages, tools }: ModelRequest): Generator<RequestText> {
  for (const { name, description, parameters } of tools) {
    yield { kind: 'tools', text: description, as: 'string', tool: name, callId: null, files: [] }
    yield { kind: 'tools', text: JSON.stringify(parameters), as: 'json', tool: name, callId: null, files: [] }
  }
  const names = new Map<string, string>()
  for (const message of messages) if (message.role === 'system') yield ofMessage('instructions', message)
  for (const message of messages) {
    if (message.role === 'user') yield ofMessage('user', message)
    if (message.role === 'tool') {
      const tool = names.get(message.callId) ?? null
      yield { ...ofMessage('result', message), tool, callId: message.callId }
    }
    if (message.role !== 'assistant') continue
    yield ofMessage('model', message)
    for (const { id, name, arguments: text, extra } of message.calls) {
      names.set(id, name)
      yield { kind: 'call', text, as: 'string', tool: name, callId: id, files: [] }
      if (extra) yield ofVendor(extra, { tool: name, callId: id })
    }
    if (message.thought) yield { kind: 'vendor', text: message.thought.reasoning, as: 'string', ...nowhere }
    if (message.thought?.extra) yield ofVendor(message.thought.extra, { tool: null, callId: null })
  }
}

/** As they stand in the body: among the other fields of a call or an answer. */
function ofVendor(fields: Readonly<Record<string, unknown>>, of: Pick<RequestText, 'tool' | 'callId'>): RequestText {
  return { kind: 'vendor', text: JSON.stringify(fields).slice(1, -1), as: 'json', ...of, files: [] }
}

function ofMessage(kind: EgressPart['kind'], { text, files = [], instructions = [] }: ModelMessage): RequestText {
  return { kind, text, as: 'string', tool: null, callId: null, files: [...files, ...instructions] }
}
