/** Streaming: the model's answer, word by word, into a whole answer or an ending. */
import { setTimeout as sleep } from 'node:timers/promises'
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { Egress, Finish, ModelCall, ModelEvent, ModelRequest, Usage, VendorFields } from '@bridlewise/shared/wire'
import type { ModelPort } from '../kernel/index.ts'
import { aborted, raceAbort } from '../tools/index.ts'
import { waitBeforeNext } from './attempts.ts'
import { countReport, learn, seemsCut } from './context/index.ts'
import { healRequest, type Refused, refusalAfter } from './healing.ts'
import type { Allowance } from './purse.ts'
import { keepThought } from './thoughts.ts'
import {
  type Answer,
  type Ending,
  emptyExchange,
  endStopped,
  giveStepBack,
  lineOf,
  record,
  recordTogether,
  rootOf,
  type Turn,
  type TurnState,
} from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

/**
 * Let the model speak.
 *
 * Contract: nothing is sent that the purse does not admit. What arrived is recorded however the stream
 * ends. The calls of an answer that broke off are dropped, whole ones too: the answer they belong to
 * was never given. A request of which nothing came may be made once more, which is told and recorded;
 * one that was refused because of a message goes out once more without it. A model that hangs does
 * not hold up a stop.
 */
export async function* streamAnswer(
  turn: Turn,
  { request }: { readonly request: ModelRequest },
): AsyncGenerator<TurnEvent, TurnState> {
  const first = yield* askOnce(turn, request)
  if (first.name === 'denied') giveStepBack(turn)
  if (first.name !== 'refused') return first.name === 'denied' ? failWith(first.refusal) : first
  const healed = yield* healRequest(turn, request, first)
  if (healed === null) return failWith(first.refusal)
  const second = yield* askOnce(turn, healed.request)
  if (second.name === 'denied') return failWith(second.refusal)
  return second.name === 'refused' ? failWith(refusalAfter(healed, second.refusal)) : second
}

/** What one request led to: the next state, or a no of the purse or of the endpoint. */
type Asked = TurnState | { readonly name: 'denied'; readonly refusal: Refusal } | ({ readonly name: 'refused' } & Refused)

function failWith(refusal: Refusal): TurnState {
  return { name: 'done', ending: { kind: 'failed', refusal } }
}

async function* askOnce(turn: Turn, request: ModelRequest): AsyncGenerator<TurnEvent, Asked> {
  const allowed = turn.context.purse?.admit(request)
  if (allowed?.ok === false) return { name: 'denied', refusal: allowed.refusal }
  const allowance = allowed?.value ?? null
  yield* tellOfTheEnd(turn, request.step)
  try {
    return yield* takeAnswer(turn, request, allowance)
  } finally {
    allowance?.release()
  }
}

/** When the whole run has little time left, each of its steps says until when. */
function* tellOfTheEnd({ context, limits, parent, tally }: Turn, step: number): Generator<TurnEvent, void> {
  if (parent) return
  const { clock } = context.ports
  const leftMs = limits.wallMs - (clock.elapsed() - tally.startedAt)
  if (leftMs > Math.min(lastStretchMs, limits.wallMs / 2)) return
  yield { type: 'waiting', for: 'run', step, until: clock.now() + Math.max(0, Math.round(leftMs)), attempt: null }
}

const lastStretchMs = 10 * 60 * 1000

async function* takeAnswer(turn: Turn, request: ModelRequest, allowance: Allowance | null): AsyncGenerator<TurnEvent, Asked> {
  const arrival = expectAnswer(request.step, turn.context.ports.clock.elapsed())
  for await (const event of readAttempts(turn, request)) yield* receive(turn, arrival, event)
  const recorded = yield* recordArrival(turn, arrival, allowance)
  yield* tellCut(turn, arrival, request)
  if (turn.signal.aborted) return { name: 'done', ending: endStopped(turn) }
  const { refusal, received } = arrival
  if (refusal) return { name: 'refused', refusal, received, beatId: recorded.beatId }
  if (arrival.finish === null) return { name: 'done', ending: { kind: 'cancelled' } }
  const answer = { step: arrival.step, text: arrival.text, calls: arrival.calls, finish: arrival.finish, ...recorded }
  turn.exchange = emptyExchange()
  return answer.calls.length > 0 ? { name: 'gating', answer, at: 0 } : { name: 'checking', answer }
}

/**
 * Let the model summarise.
 *
 * Contract: as `streamAnswer`, but its words are neither told nor recorded as an answer: the caller has
 * them. An endpoint that fails gives an empty text; only a stop and a purse that refuses are endings.
 */
export async function* hearSummary(turn: Turn, request: ModelRequest): AsyncGenerator<TurnEvent, string | Ending> {
  const allowed = turn.context.purse?.admit(request)
  if (allowed?.ok === false) return { kind: 'failed', refusal: allowed.refusal }
  const allowance = allowed?.value ?? null
  const arrival = { ...expectAnswer(request.step, turn.context.ports.clock.elapsed()), teaches: !turn.context.summaries }
  let summary = ''
  try {
    for await (const event of readAttempts(turn, request)) {
      if (event.type === 'text') {
        summary += event.text
        arrival.received += event.text.length
      } else if (event.type !== 'reasoning' && event.type !== 'call_start' && event.type !== 'call_end') {
        yield* receive(turn, arrival, event)
      }
    }
    yield* recordArrival(turn, arrival, allowance)
  } finally {
    allowance?.release()
  }
  if (turn.signal.aborted) return endStopped(turn)
  return arrival.finish === 'stop' ? summary : ''
}

/** What has arrived of one answer. */
interface Arrival {
  readonly step: number
  startedAt: number
  text: string
  reasoning: string
  readonly calls: ModelCall[]
  vendor: VendorFields | null
  /** Whom the request went to. */
  sentTo: Pick<Egress, 'endpoint' | 'modelId'> | null
  /** Whether no text of it was kept here. */
  isWhole: boolean
  /** UTF-16 units of all that came. */
  received: number
  usage: Usage | null
  firstMs: number | null
  finish: Finish | null
  refusal: Refusal | null
  requestId: string | null
  /** Whether what it reports says how the turn's own model counts. */
  readonly teaches: boolean
}

function expectAnswer(step: number, startedAt: number): Arrival {
  return {
    step,
    startedAt,
    text: '',
    reasoning: '',
    calls: [],
    vendor: null,
    sentTo: null,
    isWhole: true,
    received: 0,
    usage: null,
    firstMs: null,
    finish: null,
    refusal: null,
    requestId: null,
    teaches: true,
  }
}

/** A request of which nothing came, and which is made once more. */
interface FailedAttempt {
  readonly type: 'attempt_failed'
  readonly refusal: Refusal
  readonly made: number
  readonly waitMs: number
}

/** The events of the first request of which anything came, after those that failed before. */
async function* readAttempts(turn: Turn, request: ModelRequest): AsyncGenerator<ModelEvent | FailedAttempt, void> {
  const { context, limits, signal } = turn
  for (let made = 1; ; made += 1) {
    let sent = false
    let came = false
    let failure: Extract<ModelEvent, { type: 'failed' }> | null = null
    for await (const event of readPort(turn, request)) {
      if (event.type === 'failed') failure = event
      else yield event
      if (event.type === 'sent') sent = true
      else if (event.type !== 'waiting' && event.type !== 'failed') came = true
    }
    if (failure === null) return
    const { refusal } = failure
    const chance = (context.chance ?? Math.random)()
    const waitMs = sent && !came ? waitBeforeNext({ refusal, made, now: context.ports.clock.now(), chance }, limits) : null
    if (waitMs === null) return yield failure
    yield { type: 'attempt_failed', refusal, made, waitMs }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return yield { type: 'cancelled' }
  }
}

/** Whom a request goes to. */
function speakerOf({ ports, summaries }: Turn['context'], { purpose }: ModelRequest): ModelPort {
  return purpose === 'summary' && summaries ? summaries.model : ports.model
}

/** The port's events, ending in a terminal one even where the port breaks its contract by hanging, throwing or just ending. */
async function* readPort({ context, signal }: Turn, request: ModelRequest): AsyncGenerator<ModelEvent, void> {
  let source: AsyncIterator<ModelEvent> | null = null
  try {
    source = speakerOf(context, request).stream(request, signal)[Symbol.asyncIterator]()
    for (;;) {
      const next = await raceAbort(source.next(), signal)
      if (next === aborted) return yield { type: 'cancelled' }
      if (next.done) return yield { type: 'failed', refusal: makeRefusal('endpoint_broke_off') }
      yield next.value
      if (next.value.type === 'end' || next.value.type === 'failed' || next.value.type === 'cancelled') return
    }
  } catch (fault) {
    yield { type: 'failed', refusal: makeRefusal('run_fault', { fault: context.reportFault(fault) }) }
  } finally {
    // Not awaited: a port that hangs would never settle its return.
    source?.return?.().catch(context.reportFault)
  }
}

async function* receive(turn: Turn, arrival: Arrival, event: ModelEvent | FailedAttempt): AsyncGenerator<TurnEvent, void> {
  const { clock, ids } = turn.context.ports
  const isWord = event.type !== 'sent' && event.type !== 'waiting' && event.type !== 'attempt_failed'
  if (isWord) arrival.firstMs ??= clock.elapsed() - arrival.startedAt
  switch (event.type) {
    case 'sent': {
      // A person may have looked at it first.
      arrival.startedAt = clock.elapsed()
      const { meter } = turn.reading
      const payload = { step: arrival.step, egress: event.egress, ...(meter ? { context: meter } : {}) }
      const beat = yield* record(turn, { kind: 'request', source: 'server', derivation: turn.basis, payload })
      arrival.requestId = beat.id
      arrival.sentTo = { endpoint: event.egress.endpoint, modelId: event.egress.modelId }
      arrival.isWhole = Object.keys(event.egress.withheld ?? {}).length === 0
      if ((event.egress.vendorLeftOut ?? 0) > 0) yield* tellLeftOut(turn, beat.id)
      return
    }
    case 'waiting':
      yield { type: 'waiting', for: event.for, step: arrival.step, until: event.until, attempt: null }
      return
    case 'attempt_failed':
      yield* recordFailure(turn, arrival, event)
      return
    case 'text':
      arrival.text += event.text
      arrival.received += event.text.length
      yield { type: 'text', step: arrival.step, text: event.text }
      return
    case 'reasoning':
      arrival.reasoning += event.text
      arrival.received += event.text.length
      yield { type: 'reasoning', step: arrival.step, text: event.text }
      return
    case 'call_start':
      return
    case 'call_end':
      arrival.received += event.call.name.length + event.call.arguments.length
      // Ids of endpoints repeat between answers or are missing; ours hold across the whole chat.
      arrival.calls.push({ ...event.call, id: ids.next('call') })
      return
    case 'usage':
      arrival.usage = event.usage
      return
    case 'end':
      arrival.finish = event.finish
      arrival.vendor = event.vendor ?? null
      return
    case 'failed':
      arrival.refusal = event.refusal
      return
    case 'cancelled':
      return
  }
}

/** A signature that had to stay here may be missed by who wrote it: said once, so that nobody has to guess. */
async function* tellLeftOut(turn: Turn, requestId: string): AsyncGenerator<TurnEvent, void> {
  if (turn.reading.toldLeftOut) return
  turn.reading.toldLeftOut = true
  const payload = {
    severity: 'warning' as const,
    title: 'Fields of the vendor were left out',
    text: 'They held what must not leave, and a changed signature is worth nothing. The endpoint may refuse the conversation or think anew.',
    evidence: [requestId],
  }
  yield* record(turn, { kind: 'finding', source: 'server', derivation: [requestId], payload })
}

/** Who reads only the end forgets what it was asked and which tools it has: said once a run, since nobody else says it. */
async function* tellCut(
  turn: Turn,
  { usage, isWhole, requestId }: Arrival,
  { messages }: ModelRequest,
): AsyncGenerator<TurnEvent, void> {
  const { reading } = turn
  const counted = usage && isWhole ? countReport(messages, usage) : null
  const before = reading.counted
  reading.counted = counted
  const run = rootOf(turn).reading
  if (!counted || requestId === null || run.toldCut || !seemsCut(counted, before)) return
  run.toldCut = true
  const payload = {
    severity: 'warning' as const,
    title: 'The endpoint read only a part',
    text: `It says that it read ${counted.reported} tokens of a request that holds at least ${counted.all}. It probably cut off the beginning, so the model may not know what it was asked before. Give it a larger context there, or set the model’s context window here.`,
    evidence: [requestId],
  }
  yield* record(turn, { kind: 'finding', source: 'server', derivation: [requestId], payload })
}

/** The response that failed, on record before the next request; then how long that is waited for. */
async function* recordFailure(turn: Turn, arrival: Arrival, failed: FailedAttempt): AsyncGenerator<TurnEvent, void> {
  const { clock } = turn.context.ports
  const { refusal, made, waitMs } = failed
  const { step, startedAt } = arrival
  yield* record(turn, {
    kind: 'response',
    source: 'model',
    derivation: arrival.requestId === null ? [] : [arrival.requestId],
    payload: { step, finish: null, refusal, usage: null, firstMs: null, ms: clock.elapsed() - startedAt, charge: null },
  })
  const attempt = { next: made + 1, of: turn.limits.attempts, refusal }
  yield { type: 'waiting', for: 'attempt', step, until: clock.now() + waitMs, attempt }
  arrival.startedAt = clock.elapsed() + waitMs
  arrival.requestId = null
}

/** The response as it ended, then its thought and its words. Gives the beat that calls follow from, and the message. */
async function* recordArrival(
  turn: Turn,
  arrival: Arrival,
  allowance: Allowance | null,
): AsyncGenerator<TurnEvent, Pick<Answer, 'beatId' | 'messageId' | 'seq' | 'thought'>> {
  const { clock, ids } = turn.context.ports
  const { step, finish, refusal, usage, firstMs, text } = arrival
  if (usage) {
    if (arrival.teaches) learn(turn.reading, usage)
    for (const { tally } of lineOf(turn)) {
      tally.inputTokens += usage.inputTokens
      tally.outputTokens += usage.outputTokens
      tally.cachedTokens += usage.cachedTokens
    }
  }
  const sent = arrival.requestId !== null
  const charge = sent ? (allowance?.charge({ usage, received: arrival.received, failed: refusal !== null }) ?? null) : null
  const ms = clock.elapsed() - arrival.startedAt
  return yield* recordTogether(turn, (write) => {
    const response = write({
      kind: 'response',
      source: 'model',
      derivation: arrival.requestId === null ? [] : [arrival.requestId],
      payload: { step, finish, refusal, usage, firstMs, ms, charge },
    })
    const origin = { source: 'model' as const, derivation: [response.id] }
    // Of an answer that broke off nothing goes back: its calls are dropped.
    const thought = finish === null ? null : keepThought(arrival)
    const thoughtSeq = thought === null ? null : write({ kind: 'thought', ...origin, payload: thought }).seq
    if (text === '') return { beatId: response.id, messageId: null, seq: thoughtSeq, thought }
    const payload = { messageId: ids.next('message'), role: 'assistant' as const, text }
    const { seq } = write({ kind: 'message', ...origin, payload })
    return { beatId: response.id, messageId: payload.messageId, seq: thoughtSeq ?? seq, thought }
  })
}
