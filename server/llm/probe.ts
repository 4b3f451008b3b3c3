/**
 * Finding out how a model at an endpoint wants to be spoken to: about twenty small requests, each of
 * which depends on what the ones before it showed.
 *
 * What cannot be told from an answer stays as the profile had it. An endpoint that cannot be reached,
 * refuses the key or asks to wait ends the probe: the profile would only say that it was unwell.
 */
import { ok, type Refusal, type RefusalCode, type Result } from '@bridlewise/shared/refusals'
import type { ProbeBounds, ProbeQuestion, ProbeStep, Profile } from '@bridlewise/shared/wire'
import { nonsense } from './failures.ts'
import { readModels } from './models.ts'
import * as asks from './probe-asks.ts'
import { type Trial, type TrialLine, tryBody, tryLeaving } from './probe-trial.ts'

/** Said before anything is sent. */
export const probeBounds: ProbeBounds = { requests: 27, inputTokens: 4_000, outputTokens: 4_000 }

/** What one step showed: facts for the profile, and a line for the person. */
interface Lesson {
  readonly answer: ProbeStep['answer']
  readonly note: string
  readonly learned?: Partial<Profile>
}

/** What later steps build on. */
interface Seen {
  profile: Profile
  /** Whether usage came with an answer that nobody asked it of. */
  usageUnasked: boolean
  callTrial: Trial | null
  reasoning: Pick<Trial, 'reasoning' | 'thought'> | null
}

interface Lab {
  readonly line: TrialLine
  readonly seen: Seen
  readonly signal: AbortSignal
  /** Send a request as the profile so far has it, with these fields instead. */
  tell(fields: object, tokens?: number): Promise<Trial>
}

interface Step {
  readonly id: string
  readonly title: string
  run(lab: Lab): Promise<Lesson>
}

/** Carries the refusal that ends a probe to its one catch below. */
class ProbeOver extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** What says nothing about the model: the whole probe ends with it. */
const ending: ReadonlySet<RefusalCode> = new Set([
  'endpoint_unauthorized',
  'endpoint_rate_limited',
  'endpoint_unreachable',
  'endpoint_untrusted',
  'endpoint_redirected',
  'proxy_invalid',
  'proxy_unreachable',
  'proxy_unauthorized',
  'proxy_refused',
])
/** The endpoint did not take the request. Anything else that goes wrong leaves the question open. */
const refusing = new Set(['endpoint_refused', 'endpoint_failed'])

/**
 * Probe one model, starting from what is known about it.
 *
 * Contract: one request after the other, at most `probeBounds.requests`; `tell` gets each step when it
 * is over. Rejects with the reason of an aborted signal, and never for what the endpoint does.
 * Refuses: the `endpoint_*` family.
 */
export async function probe(
  line: TrialLine,
  { start, tell }: { readonly start: Profile; readonly tell: (step: ProbeStep) => void },
  signal: AbortSignal,
): Promise<Result<Profile>> {
  const seen: Seen = { profile: start, usageUnasked: false, callTrial: null, reasoning: null }
  const lab: Lab = {
    line,
    seen,
    signal,
    async tell(fields, tokens) {
      const trial = await tryBody(line, asks.ask(line.modelId, seen.profile, fields, tokens), signal)
      signal.throwIfAborted()
      if (trial.refusal && ending.has(trial.refusal.code)) throw new ProbeOver(trial.refusal)
      if (trial.reasoning) seen.reasoning ??= trial
      return trial
    },
  }
  try {
    for (const { id, title, run } of probeSteps) {
      signal.throwIfAborted()
      const { answer, note, learned } = await run(lab)
      seen.profile = { ...seen.profile, ...learned }
      tell({ id, title, answer, note })
    }
  } catch (thrown) {
    if (thrown instanceof ProbeOver) return { ok: false, refusal: thrown.refusal }
    throw thrown
  }
  return ok(seen.profile)
}

/** A step whose question is whether a request is taken. */
function taken(id: string, title: string, ask: object, lessons: { readonly [A in 'yes' | 'no']: Partial<Profile> }): Step {
  return {
    id,
    title,
    async run(lab) {
      const trial = await lab.tell(ask)
      const answer = answerOf(trial)
      return answer === 'unclear'
        ? { answer, note: trial.refusal?.message ?? '' }
        : { answer, note: noteOf(trial), learned: lessons[answer] }
    },
  }
}

const probeSteps: readonly Step[] = [
  { id: 'models', title: 'Lists its models', run: readList },
  { id: 'answer', title: 'Answers, and as a stream', run: findAnswer },
  { id: 'usage', title: 'Reports the tokens used', run: findUsage },
  taken('system', 'Takes instructions of the system', asks.withSystem, {
    yes: { instructions: 'system' },
    no: { instructions: 'user' },
  }),
  { id: 'developer', title: 'Takes instructions of a developer', run: findDeveloper },
  { id: 'laterSystem', title: 'Takes instructions in the middle', run: findLaterSystem },
  taken('temperature', 'Lets the temperature be chosen', asks.withTemperature, {
    yes: { temperatureFixed: false },
    no: { temperatureFixed: true },
  }),
  { id: 'calls', title: 'Calls tools', run: findCalls },
  { id: 'parallel', title: 'Makes several calls in one answer', run: findParallel },
  { id: 'reasoning', title: 'Takes a result without the reasoning before it', run: findReasoning },
  { id: 'names', title: 'Takes long names of tools', run: findNames },
  taken('jsonObject', 'Answers in JSON on request', asks.withJsonObject, { yes: { json: 'object' }, no: { json: 'none' } }),
  taken('jsonSchema', 'Follows a JSON schema', asks.withJsonSchema, { yes: { json: 'schema' }, no: {} }),
  taken('images', 'Takes images', asks.withImage, { yes: { images: true }, no: { images: false } }),
  { id: 'cancel', title: 'Goes on after an answer was broken off', run: findCancel },
  { id: 'errors', title: 'Says what is wrong with a request', run: findErrors },
]

/** What a probe asks: one line of its report each. */
export const probeQuestions: readonly ProbeQuestion[] = probeSteps.map(({ id, title }) => ({ id, title }))

async function readList({ line, signal }: Lab): Promise<Lesson> {
  const listed = await readModels(line, line.endpoint, signal)
  if (!listed.ok && ending.has(listed.refusal.code)) throw new ProbeOver(listed.refusal)
  if (!listed.ok) return { answer: 'no', note: 'It gives no list; models are named by hand.' }
  const entry = listed.value.find(({ id }) => id === line.modelId)
  if (!entry) return { answer: 'yes', note: 'This model is not in its list.' }
  if (entry.window === null) return { answer: 'yes', note: 'The list does not say how long a context may be.' }
  return { answer: 'yes', note: `Context of ${entry.window} tokens.`, learned: { contextWindow: entry.window } }
}

/** The one step that has to succeed: without it nothing can be asked. */
async function findAnswer({ seen, tell }: Lab): Promise<Lesson> {
  const start = seen.profile
  const limits = [...new Set([start.outputLimit, 'max_tokens', 'max_completion_tokens', 'none'] as const)]
  let refusal: Refusal | null = null
  for (const streaming of [true, false]) {
    for (const outputLimit of limits) {
      seen.profile = { ...start, streaming, outputLimit }
      const trial = await tell({})
      if (trial.refusal === null) {
        seen.usageUnasked = trial.usage
        const streams = streaming && !trial.whole
        const limited = outputLimit === 'none' ? 'has no limit that it takes' : `is limited by ${outputLimit}`
        return { answer: streams ? 'yes' : 'no', note: `The answer ${limited}.`, learned: { streaming: streams, outputLimit } }
      }
      refusal ??= trial.refusal
      if (!refusing.has(trial.refusal.code)) break
    }
  }
  throw new ProbeOver(refusal ?? nonsense('it gave no answer'))
}

async function findUsage({ seen, tell }: Lab): Promise<Lesson> {
  const unasked = { answer: 'yes', note: 'Without being asked.' } as const
  const usage = seen.usageUnasked ? 'unasked' : 'none'
  if (!seen.profile.streaming) {
    const lesson = usage === 'none' ? ({ answer: 'no', note: '' } as const) : unasked
    return { ...lesson, learned: { usage, streamOptions: false } }
  }
  const trial = await tell(asks.usageOption)
  const streamOptions = answerOf(trial) === 'yes'
  if (seen.usageUnasked) return { ...unasked, learned: { usage, streamOptions } }
  if (!trial.usage) return { answer: 'no', note: 'Costs are estimates.', learned: { usage, streamOptions } }
  return { answer: 'yes', note: 'When asked.', learned: { usage: 'asked', streamOptions } }
}

async function findDeveloper({ seen, tell }: Lab): Promise<Lesson> {
  const trial = await tell(asks.withDeveloper)
  const answer = answerOf(trial)
  const only = answer === 'yes' && seen.profile.instructions === 'user'
  return { answer, note: noteOf(trial), ...(only ? { learned: { instructions: 'developer' } } : {}) }
}

async function findLaterSystem({ seen, tell }: Lab): Promise<Lesson> {
  if (seen.profile.instructions !== 'system') return { answer: 'no', note: '', learned: { laterSystem: false } }
  const trial = await tell(asks.withLaterSystem)
  const answer = answerOf(trial)
  return { answer, note: noteOf(trial), learned: answer === 'unclear' ? {} : { laterSystem: answer === 'yes' } }
}

async function findCalls({ seen, tell }: Lab): Promise<Lesson> {
  const trial = await tell(asks.callFields, asks.callTokens)
  const answer = answerOf(trial)
  if (answer === 'no') return { answer, note: noteOf(trial), learned: { calls: 'none' } }
  if (answer === 'unclear') return { answer, note: noteOf(trial) }
  seen.callTrial = trial
  const { fragments } = trial
  if (!fragments) return { answer: 'unclear', note: 'It took the tool and did not call it.' }
  // A document says nothing about fragments.
  if (trial.whole) return { answer: 'yes', note: '' }
  return {
    answer: 'yes',
    note: fragments.indexed ? '' : 'Its calls carry no index.',
    learned: { callIndex: fragments.indexed, callName: fragments.lateName ? 'late' : 'first' },
  }
}

async function findParallel({ seen, tell }: Lab): Promise<Lesson> {
  if (seen.callTrial === null) return { answer: 'unclear', note: 'It was not asked: no tool was called before.' }
  const { calls } = await tell(asks.parallelFields, asks.callTokens)
  if (calls.length === 0) return { answer: 'unclear', note: 'It made no call this time.' }
  const several = calls.length > 1
  return { answer: several ? 'yes' : 'no', note: '', learned: { calls: several ? 'parallel' : 'single' } }
}

/** Reasoning comes under several names; some endpoints want it back after a call, others refuse it. */
async function findReasoning({ seen, tell }: Lab): Promise<Lesson> {
  const { reasoning } = seen
  const before = seen.profile.reasoning
  const field = reasoning?.reasoning ?? null
  if (seen.callTrial === null) return { answer: 'unclear', note: 'It was not asked: no tool was called before.' }
  const call = seen.callTrial.calls[0]
  const bare = await tell(asks.resultFields(call, {}), asks.callTokens)
  const answer = answerOf(bare)
  const named = field === null ? 'No reasoning was seen.' : `Reasoning comes as ${field}.`
  if (field === null) return { answer, note: noteOf(bare) || named }
  if (answer === 'yes') return { answer, note: named, learned: { reasoning: { field, back: 'strip' } } }
  const echoed = await tell(asks.resultFields(call, { [field]: reasoning?.thought ?? '' }), asks.callTokens)
  const back = answerOf(echoed) === 'yes' ? 'echo' : before.back
  return {
    answer,
    note: `${named} It ${back === 'echo' ? 'has to be' : 'is not'} sent back.`,
    learned: { reasoning: { field, back } },
  }
}

async function findNames({ seen, tell }: Lab): Promise<Lesson> {
  if (seen.profile.calls === 'none') return { answer: 'no', note: '' }
  for (const length of [128, 64, 40]) {
    const trial = await tell(asks.namedFields(length))
    const answer = answerOf(trial)
    if (answer === 'unclear') return { answer, note: noteOf(trial) }
    const note = `Of ${length} characters.`
    if (answer === 'yes') return { answer: length > 40 ? 'yes' : 'no', note, learned: { toolNameLength: length } }
  }
  return { answer: 'no', note: 'Not even of 40 characters.', learned: { toolNameLength: 32 } }
}

async function findCancel({ line, seen, signal, tell }: Lab): Promise<Lesson> {
  if (!seen.profile.streaming) return { answer: 'unclear', note: 'It does not stream.' }
  const began = await tryLeaving(line, asks.ask(line.modelId, seen.profile, asks.longAnswer, asks.callTokens), signal)
  if (!began) return { answer: 'unclear', note: 'There was nothing to break off.' }
  const cancel = answerOf(await tell({})) === 'yes'
  return { answer: cancel ? 'yes' : 'no', note: '', learned: { cancel } }
}

async function findErrors({ tell }: Lab): Promise<Lesson> {
  const { errorShape } = await tell(asks.senseless)
  if (errorShape === null) return { answer: 'no', note: 'It answered a request that makes no sense.' }
  return { answer: 'yes', note: `In ${errorShape}.`, learned: { errors: errorShape } }
}

function answerOf({ refusal }: Trial): ProbeStep['answer'] {
  if (refusal === null) return 'yes'
  return refusing.has(refusal.code) ? 'no' : 'unclear'
}

function noteOf({ refusal }: Trial): string {
  return refusal?.message ?? ''
}
