/** Takes out of a request what a rule keeps here, and says in its place that it did. */
import type { WithheldWords, Withholding } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { EgressRule, ModelCall, ModelMessage, ModelRequest, Thought } from '@bridlewise/shared/wire'

export interface Withheld {
  readonly request: ModelRequest
  /** Texts that each rule changed. */
  readonly counts: Readonly<Record<string, number>>
}

export interface Withholder {
  /**
   * Refuses: egress_withheld when the person's own newest words would have to be changed: what they say
   * is theirs to decide.
   */
  request(request: ModelRequest): Result<Withheld>
  /** A text of no file, such as what a command printed, as it would leave. */
  text(text: string): string
}

/** Lock files are kept back for their size; their lines stand in many other files, and mean nothing there. */
export function isKnownByWords(rule: EgressRule): boolean {
  return rule.kind !== 'class' || rule.name !== 'locks'
}

/** `words` are those of withheld files, to be found wherever they stand. */
export function createWithholder(rules: Withholding, words: readonly WithheldWords[]): Withholder {
  const find = createFinder(words)
  const known = new Map<string, Masked>()
  const mask = (text: string): Masked => {
    const before = known.get(text)
    if (before) return before
    const masked = maskWords(text, find)
    known.set(text, masked)
    return masked
  }

  return {
    text: (text) => mask(text).text,
    request(request) {
      const counts: Record<string, number> = {}
      const tally = ({ text, rules: hit }: Masked): string => {
        for (const rule of hit) counts[rule] = (counts[rule] ?? 0) + 1
        return text
      }
      const newest = request.messages.findLast(({ role }) => role === 'user')
      const own = newest && find(newest.text, 0)
      if (own) return refuse('egress_withheld', { path: own.found.path, rule: own.found.rule })
      const tools = toolsByCall(request.messages)
      const messages = request.messages.map((message) => {
        const whole = message.role === 'tool' ? findRule(message, { rules, tool: tools.get(message.callId) }) : null
        if (whole !== null)
          return { ...message, text: tally({ text: describe(whole), rules: [whole] }), files: [], instructions: [] }
        // Lines that came from a file which may be read are that file's, even where they stand in a withheld one too.
        if (message.role === 'system' || (message.files?.length ?? 0) > 0) return message
        const text = tally(mask(message.text))
        if (message.role !== 'assistant') return { ...message, text }
        const calls = message.calls.map((call) => maskCall(call, (given) => tally(mask(given))))
        return {
          ...message,
          text,
          calls,
          thought: message.thought && maskThought(message.thought, (given) => tally(mask(given))),
        }
      })
      return ok({ request: { ...request, messages }, counts })
    },
  }
}

type Finder = (text: string, from: number) => { readonly at: number; readonly found: WithheldWords } | null

interface Masked {
  readonly text: string
  /** The rule of each stretch that was taken out, once a rule. */
  readonly rules: readonly string[]
}

function toolsByCall(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return new Map(calls.map(({ id, name }) => [id, name]))
}

function findRule(
  message: ModelMessage,
  { rules, tool }: { readonly rules: Withholding; readonly tool: string | undefined },
): string | null {
  const byTool = tool === undefined ? null : rules.ofTool(tool)
  if (byTool !== null) return byTool
  return message.files?.map(({ path }) => rules.ofPath(path)).find((rule) => rule !== null) ?? null
}

function describe(rule: string): string {
  return `[Kept back by the rule: ${rule}]`
}

/** Arguments stay JSON: their strings are masked one by one. What was no JSON is masked as text. */
function maskCall({ extra, ...call }: ModelCall, mask: (text: string) => string): ModelCall {
  const masked = maskArguments(call, mask)
  const fields = extra ? unlessMasked(extra, mask) : null
  return fields ? { ...masked, extra: fields } : masked
}

function maskArguments(call: ModelCall, mask: (text: string) => string): ModelCall {
  try {
    const value: unknown = JSON.parse(call.arguments, (_key, held: unknown) => (typeof held === 'string' ? mask(held) : held))
    const written = JSON.stringify(value)
    return written === JSON.stringify(JSON.parse(call.arguments)) ? call : { ...call, arguments: written }
  } catch {
    return { ...call, arguments: mask(call.arguments) }
  }
}

/** What was thought is masked as text; fields with such words in them are signed, and stay here whole. */
function maskThought(thought: Thought, mask: (text: string) => string): Thought {
  return { ...thought, reasoning: mask(thought.reasoning), extra: thought.extra && unlessMasked(thought.extra, mask) }
}

function unlessMasked<T extends ModelCall['extra']>(fields: T, mask: (text: string) => string): T | null {
  const written = JSON.stringify(fields, (_key, held: unknown) => (typeof held === 'string' ? mask(held) : held))
  return written === JSON.stringify(fields) ? fields : null
}

function maskWords(text: string, find: Finder): Masked {
  const rules = new Set<string>()
  let masked = ''
  let from = 0
  for (let hit = find(text, 0); hit !== null; hit = find(text, from)) {
    masked += text.slice(from, hit.at) + describe(hit.found.rule)
    from = hit.at + hit.found.words.length
    rules.add(hit.found.rule)
  }
  return rules.size === 0 ? { text, rules: [] } : { text: masked + text.slice(from), rules: [...rules] }
}

/** Characters by which words are looked up; none are shorter. */
const headLength = 8

/** One pass over a text, however many words there are. At one place the longest words count. */
function createFinder(words: readonly WithheldWords[]): Finder {
  const byHead = Map.groupBy(
    words.toSorted((a, b) => b.words.length - a.words.length),
    (entry) => entry.words.slice(0, headLength),
  )
  return (text, from) => {
    if (byHead.size === 0) return null
    for (let at = from; at + headLength <= text.length; at += 1) {
      const found = byHead.get(text.slice(at, at + headLength))?.find((entry) => text.startsWith(entry.words, at))
      if (found) return { at, found }
    }
    return null
  }
}
