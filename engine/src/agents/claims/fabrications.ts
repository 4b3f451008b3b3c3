/** Four ways of telling of work that did not happen. Each is worth asking the model once more. */
import type { FabricationShape } from '@bridlewise/shared/wire'
import type { Claim } from './claim.ts'

export interface Fabrication {
  readonly shape: FabricationShape
  /** What is wrong, in words for the model and the person. */
  readonly reason: string
}

export interface Told {
  readonly text: string
  /** Everything that the answer claims. */
  readonly claims: readonly Claim[]
  /** Tools that were called in this turn, whatever became of it. */
  readonly called: ReadonlySet<string>
  /** Tools that were offered. */
  readonly offered: ReadonlySet<string>
  /** Calls of earlier turns, which an answer may sum up. */
  readonly earlier: readonly string[]
}

/** The first of the four shapes that an answer has, or null. */
export function findFabrication(told: Told): Fabrication | null {
  return findCitation(told) ?? (told.called.size > 0 || told.earlier.length > 0 ? null : findWorklessClaim(told))
}

/** Outside of brackets a name must begin as tools do: "according to max_retries" speaks of a setting. */
const citations =
  /\((?:via|using|source:|from tool:?|per)\s+([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\)|\b(?:according to|based on|as (?:shown|reported) by)\s+(?:the )?((?:read|list|find|search|get|fetch|browse|query|run|execute|open|web|git|call|lookup)(?:_[a-z0-9]+)+)\b/gi

/** "(via read_file)": a source that is no tool, or a tool that was not asked. Names of other things in brackets are none. */
function findCitation({ text, called, offered, earlier }: Told): Fabrication | null {
  for (const [, bracketed, named] of text.replaceAll('`', '').matchAll(citations)) {
    const name = bracketed ?? named ?? ''
    if (called.has(name) || earlier.some((call) => call.startsWith(`${name} `))) continue
    return offered.has(name)
      ? { shape: 'citation_uncalled_tool', reason: `The answer names ${name} as its source, which was not called.` }
      : { shape: 'citation_unregistered_tool', reason: `The answer names ${name} as its source, and there is no such tool.` }
  }
  return null
}

function findWorklessClaim({ text, claims, offered }: Told): Fabrication | null {
  const prose = text.replaceAll(/(`{3,}|~{3,})[\s\S]*?(?:\1|$)/g, '')
  if (
    /^#{0,6}\s*\**(?:summary|what (?:i|was) (?:did|done|changed)|changes made|work done)\**:?\s*$/im.test(prose) &&
    claims.length > 0
  ) {
    return { shape: 'summary_without_action', reason: 'The answer sums up work, and no tool was called.' }
  }
  const acts = claims.filter(({ kind }) => kind === 'change' || kind === 'run' || kind === 'check' || kind === 'count')
  const verified = claims.some((claim) => claim.kind === 'look' && claim.verified)
  if (acts.length === 0 && !(verified && offered.size > 0)) return findBareCompletion(prose, claims)
  return { shape: 'claim_without_tool', reason: 'The answer says that something was done or checked, and no tool was called.' }
}

function findBareCompletion(prose: string, claims: readonly Claim[]): Fabrication | null {
  const complete = /\b(?:I|we)(?:['’]ve| have) (?:now |successfully )*(?:completed|finished) (?:the|all|your|this|every)\b/i.test(
    prose,
  )
  if (!complete && !claims.some(({ kind }) => kind === 'done')) return null
  return { shape: 'summary_without_action', reason: 'The answer says that the work is done, and no tool was called.' }
}
