/**
 * What may leave. Every text of every request passes here, in the one place that can send one.
 *
 * A redaction belongs to one run: its salt makes the placeholders of one run meaningless in another.
 * Texts repeat from request to request of a run, so what was redacted once is remembered.
 */
import { randomBytes } from 'node:crypto'
import {
  createBoundedRedactor,
  createRedactor,
  createStreamRedactor,
  type OwnRule,
  type Redaction as Redacted,
  redactionLimits,
} from '@bridlewise/engine'
import { ok, type Refusal, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelCall, ModelMessage, ModelRequest, ToolSchema } from '@bridlewise/shared/wire'
import { fieldsUnchanged } from './vendor-fields.ts'

export interface Redaction {
  /**
   * A text that is quoted, for instance what an error answer echoes.
   *
   * Contract: of a very long one only the beginning; of a beginning only what cannot be the start of a secret.
   */
  text(text: string, extent?: 'whole' | 'beginning'): string
  /**
   * A whole request, and how many values of each kind were replaced in it.
   *
   * Contract: fails closed. Refuses: redaction_failed; nothing may be sent then.
   */
  request(request: ModelRequest, signal: AbortSignal): Promise<Result<RedactedRequest>>
}

interface RedactedRequest {
  readonly request: ModelRequest
  readonly counts: Readonly<Record<string, number>>
  /** The same for each text of it in which there were any, by the text as it leaves. */
  readonly countsOf: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** Answers and calls whose vendor's fields stay here, because something in them would have been replaced. */
  readonly vendorLeftOut: number
}

/** `secrets` and what `rules` say are replaced wherever they stand, whatever they look like. */
export function createRedaction(secrets: readonly string[], rules: readonly OwnRule[] = []): Redaction {
  const settings = { salt: randomBytes(16).toString('hex'), literals: secrets, rules }
  const quoting = createRedactor(settings)
  const redactor = createBoundedRedactor(settings)
  const known = new Map<string, Redacted>()

  const clean = async (text: string, signal: AbortSignal): Promise<Redacted> => {
    const before = known.get(text)
    if (before) return before
    const redacted = await redactor.redact(text, signal)
    if (!redacted.ok) throw new Unfinished(redacted.refusal)
    known.set(text, redacted.value)
    return redacted.value
  }

  return {
    text(text, extent = 'whole') {
      const { inlineLength } = redactionLimits
      if (text.length <= inlineLength && extent === 'whole') return quoting.redact(text).text
      // Never ended: half a secret, where the text was cut, stays held back.
      return `${createStreamRedactor(settings).push(text.slice(0, inlineLength))}…`
    },
    async request(request, signal) {
      const counts: Record<string, number> = {}
      const countsOf = new Map<string, Readonly<Record<string, number>>>()
      const tally = async (text: string): Promise<string> => {
        const cleaned = await clean(text, signal)
        for (const [kind, count] of Object.entries(cleaned.counts)) counts[kind] = (counts[kind] ?? 0) + count
        if (Object.keys(cleaned.counts).length > 0) countsOf.set(cleaned.text, cleaned.counts)
        return cleaned.text
      }
      try {
        const messages: ModelMessage[] = []
        let vendorLeftOut = 0
        const keepFields = async (fields: Fields): Promise<Fields | null> => {
          const kept = await fieldsUnchanged(fields, async (text) => (await clean(text, signal)).text)
          if (kept === null) vendorLeftOut += 1
          return kept
        }
        for (const message of request.messages) messages.push(await cleanMessage(message, { clean: tally, keepFields }))
        const tools: ToolSchema[] = []
        for (const tool of request.tools) tools.push(await cleanTool(tool, tally))
        return ok({ request: { ...request, messages, tools }, counts, countsOf, vendorLeftOut })
      } catch (cause) {
        if (cause instanceof Unfinished) return { ok: false, refusal: cause.refusal }
        return refuse('redaction_failed', { problem: cause instanceof Error ? cause.name : 'It broke.' })
      }
    },
  }
}

/** Carries a refusal out of the texts of a request. */
class Unfinished extends Error {
  override readonly name = 'Unfinished'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

type Clean = (text: string) => Promise<string>

type Fields = Readonly<Record<string, unknown>>

interface Cleaning {
  readonly clean: Clean
  readonly keepFields: (fields: Fields) => Promise<Fields | null>
}

async function cleanMessage(message: ModelMessage, { clean, keepFields }: Cleaning): Promise<ModelMessage> {
  if (message.role !== 'assistant') return { ...message, text: await clean(message.text) }
  const calls: ModelCall[] = []
  for (const { extra, ...call } of message.calls) {
    const fields = extra ? await keepFields(extra) : null
    calls.push({
      ...call,
      name: await clean(call.name),
      arguments: await clean(call.arguments),
      ...(fields ? { extra: fields } : {}),
    })
  }
  const { thought } = message
  const kept = thought && {
    ...thought,
    reasoning: await clean(thought.reasoning),
    extra: thought.extra && (await keepFields(thought.extra)),
  }
  return { ...message, text: await clean(message.text), calls, thought: kept }
}

/** A schema is cleaned as JSON text; if that were not JSON any more, `parse` throws and nothing is sent. */
async function cleanTool(tool: ToolSchema, clean: Clean): Promise<ToolSchema> {
  return {
    name: await clean(tool.name),
    description: await clean(tool.description),
    parameters: JSON.parse(await clean(JSON.stringify(tool.parameters))),
  }
}
