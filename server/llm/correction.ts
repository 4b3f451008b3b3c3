/**
 * Which fact of a profile an endpoint's refusal proves wrong: it names a parameter that was sent to it.
 *
 * The words of vendors are matched here, since few of them say it otherwise. What is matched changes how
 * a request is written, never what it says or may do; a wrong guess costs one request.
 */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { ModelRequest, Profile } from '@bridlewise/shared/wire'

export interface Correction {
  /** One fact of the profile, as it has to be. */
  readonly changed: Partial<Profile>
  /** What that means for the next request, as a clause. */
  readonly meaning: string
}

interface Complaint {
  readonly problem: string
  readonly request: ModelRequest
  readonly profile: Profile
}

/** Find it; null for a refusal that is about anything else: a key, an account, the content, the length. */
export function correctionIn(refusal: Refusal, request: ModelRequest, profile: Profile): Correction | null {
  const { status, problem } = refusal.details ?? {}
  if (refusal.code !== 'endpoint_refused' || (status !== 400 && status !== 422) || typeof problem !== 'string') return null
  if (aboutElse.test(problem) || !aboutForm.test(problem)) return null
  const complaint = { problem, request, profile }
  for (const find of [findOutputLimit, findStreamOptions, findStreaming, findInstructions, findReasoning]) {
    const correction = find(complaint)
    if (correction) return correction
  }
  return null
}

const aboutElse =
  /context|too (?:large|long|many|big|high)|at most|at least|maximum|exceed|quota|billing|credit|policy|filter|safety|moderation|api.?key|\bauth/i
const aboutForm =
  /\bnot (?:supported|known|permitted|allowed|recogni[sz]ed|accepted|taken|enabled|valid|one of)|unsupported|unknown|unrecogni[sz]ed|unexpected|\bextra (?:inputs?|fields?|parameters?)|additional propert|invalid (?:parameter|argument|field|role|value)|(?:does not|doesn't) support|forbidden|\bmust\b|\bhas to\b|required|missing|\bonly\b|instead/i

function findOutputLimit({ problem, request, profile: { outputLimit } }: Complaint): Correction | null {
  if (outputLimit === 'none' || !request.maxOutputTokens || !names(problem, outputLimit)) return null
  const other = outputLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  // The older name is what most endpoints know; the newer one only where they name it themselves.
  if (names(problem, other) || other === 'max_tokens') {
    return { changed: { outputLimit: other }, meaning: `The longest answer is sent as ${other}` }
  }
  return { changed: { outputLimit: 'none' }, meaning: `${outputLimit} is not sent` }
}

function findStreamOptions({ problem, profile: { streaming, streamOptions } }: Complaint): Correction | null {
  if (!streaming || !streamOptions || !names(problem, 'stream_options')) return null
  return { changed: { streamOptions: false, usage: 'none' }, meaning: 'stream_options is not sent, and costs may be estimates' }
}

function findStreaming({ problem, profile: { streaming } }: Complaint): Correction | null {
  if (!streaming || !namesAsField(problem, 'stream')) return null
  return { changed: { streaming: false, streamOptions: false }, meaning: 'The answer is asked for in one piece' }
}

/** The first role that is named is the one that is refused; those after it are what would be taken. */
function findInstructions({ problem, request, profile: { instructions } }: Complaint): Correction | null {
  if (instructions === 'user' || !request.messages.some(({ role }) => role === 'system')) return null
  if (!/role|instruction/i.test(problem)) return null
  const [first] = problem.match(/(?<!\w)(?:system|developer|user|assistant|tool)(?!\w)/i) ?? []
  if (first?.toLowerCase() !== instructions) return null
  const next = instructions === 'developer' ? 'system' : names(problem, 'developer') ? 'developer' : 'user'
  return { changed: { instructions: next }, meaning: `Instructions are sent as ${next}` }
}

function findReasoning({ problem, request, profile: { reasoning } }: Complaint): Correction | null {
  if (!request.messages.some((message) => message.role === 'assistant' && message.calls.length > 0)) return null
  const field = reasoningFields.find((name) => namesAsField(problem, name))
  if (!field) return null
  if (reasoning.back === 'echo') {
    return { changed: { reasoning: { field, back: 'strip' } }, meaning: `${field} is not sent back` }
  }
  // It was not sent, so whoever only says that it is unknown speaks of something else.
  if (!/\b(?:must|has to|have to|required|missing)\b/i.test(problem) || /\b(?:must|may) not\b/i.test(problem)) return null
  return { changed: { reasoning: { field, back: 'echo' } }, meaning: `${field} is sent back` }
}

const reasoningFields = ['reasoning_content', 'reasoning_text', 'reasoning'] as const

function names(problem: string, name: string): boolean {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'i').test(problem)
}

/** For names that are also words: quoted, at the end of a path, or in front of a colon; what holds `_` is no word. */
function namesAsField(problem: string, name: string): boolean {
  if (name.includes('_')) return names(problem, name)
  return new RegExp(`[.'"\`]${name}(?![\\w-])|(?<![\\w-])${name}:`).test(problem)
}
