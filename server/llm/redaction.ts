/**
 * What may leave. Every text of every request passes here, in the one place that can send one.
 *
 * A redaction belongs to one run: its salt makes the placeholders of one run meaningless in another.
 * Texts repeat from request to request of a run, so what was redacted once is remembered.
 */
import { randomBytes } from 'node:crypto'
import { createRedactor } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelMessage, ModelRequest, ToolSchema } from '@bridlewise/shared/wire'

export interface Redaction {
  /** Any text, for instance what an error answer echoes. */
  text(text: string): string
  /**
   * A whole request, and how many values of each kind were replaced in it.
   *
   * Contract: fails closed. Refuses: redaction_failed; nothing may be sent then.
   */
  request(request: ModelRequest): Result<Redacted>
}

interface Redacted {
  readonly request: ModelRequest
  readonly counts: Readonly<Record<string, number>>
}

interface Cleaned {
  readonly text: string
  readonly counts: Readonly<Record<string, number>>
}

/** `secrets` are replaced wherever they stand, whatever they look like. */
export function createRedaction(secrets: readonly string[]): Redaction {
  const redactor = createRedactor({ salt: randomBytes(16).toString('hex'), literals: secrets })
  const known = new Map<string, Cleaned>()

  const clean = (text: string): Cleaned => {
    const before = known.get(text)
    if (before) return before
    const cleaned = redactor.redact(text)
    known.set(text, cleaned)
    return cleaned
  }

  return {
    text: (text) => redactor.redact(text).text,
    request(request) {
      const counts: Record<string, number> = {}
      const tally = (text: string): string => {
        const cleaned = clean(text)
        for (const [kind, count] of Object.entries(cleaned.counts)) counts[kind] = (counts[kind] ?? 0) + count
        return cleaned.text
      }
      try {
        const messages = request.messages.map((message) => cleanMessage(message, tally))
        const tools = request.tools.map((tool) => cleanTool(tool, tally))
        return ok({ request: { ...request, messages, tools }, counts })
      } catch (cause) {
        return refuse('redaction_failed', { problem: cause instanceof Error ? cause.name : 'It broke.' })
      }
    },
  }
}

function cleanMessage(message: ModelMessage, clean: (text: string) => string): ModelMessage {
  if (message.role !== 'assistant') return { ...message, text: clean(message.text) }
  const calls = message.calls.map((call) => ({ ...call, name: clean(call.name), arguments: clean(call.arguments) }))
  return { ...message, text: clean(message.text), calls }
}

/** A schema is cleaned as JSON text; if that were not JSON any more, `parse` throws and nothing is sent. */
function cleanTool(tool: ToolSchema, clean: (text: string) => string): ToolSchema {
  return {
    name: clean(tool.name),
    description: clean(tool.description),
    parameters: JSON.parse(clean(JSON.stringify(tool.parameters))),
  }
}
