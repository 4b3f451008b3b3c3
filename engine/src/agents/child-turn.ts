/** A child, from its first entry to the result of the call that gave it its task. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { BeatDraft, CallStatus, Outcome } from '@bridlewise/shared/wire'
import type { LedgerPort, WriteBeat } from '../kernel/index.ts'
import type { DelegatingTool } from '../tools/index.ts'
import { startAccount } from './child-account.ts'
import { type ChildPlan, childLimits } from './child-plan.ts'
import { toArguments } from './messages.ts'
import { type GatedCall, record, type SettledCall, type Turn } from './turn-state.ts'
import type { TurnContext, TurnEvent, TurnInput } from './turn-types.ts'

export interface BegunChild {
  readonly call: GatedCall<DelegatingTool<unknown>>
  readonly plan: ChildPlan
  /** The beat of its call. */
  readonly announced: { readonly id: string; readonly seq: number }
}

/**
 * Play a child to its end.
 *
 * Contract: a turn like any other, with its own history, which begins with the task. All that it records
 * says whose child it is. What becomes of it is the call's result and ends nobody else.
 */
export async function* playChild(
  turn: Turn,
  { call, plan, announced }: BegunChild,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent, SettledCall> {
  const { callId, tool } = call
  const { clock } = turn.context.ports
  const startedAt = clock.elapsed()
  const started = yield* record(turn, {
    kind: 'child_started',
    source: 'server',
    derivation: [announced.id],
    within: callId,
    payload: { callId, ...plan.scope },
  })
  const account = startAccount(callId)
  const start = { context: contextOf(turn, plan, callId), input: inputOf(turn, plan, started.seq), parent: turn }
  const playing = turn.play(start, signal)
  let outcome: Outcome
  try {
    for (;;) {
      const next = await playing.next()
      if (next.done) {
        outcome = next.value
        break
      }
      const event = next.value
      if (event.type === 'beat') {
        // What a child did is evidence for what it was; what it says about it is none.
        turn.evidence.add(event.beat)
        account.add(event.beat)
        yield event
      } else yield event.within === undefined ? { ...event, within: callId } : event
    }
  } finally {
    await playing.return(undefined as never)
  }
  const ended = yield* record(turn, {
    kind: 'child_ended',
    source: 'server',
    derivation: [started.id],
    within: callId,
    payload: { callId, outcome },
  })
  const text = account.tell(outcome)
  const result = yield* record(turn, {
    kind: 'result',
    source: 'tool',
    derivation: [announced.id, ended.id],
    payload: {
      ...{ callId, tool: tool.name, text, details: { kind: 'text', text }, ms: clock.elapsed() - startedAt, spill: null },
      ...{ status: statusOf(outcome), summary: account.sum(outcome), refusal: refusalOf(outcome) },
    },
  })
  turn.loop.record(call.key, tool, { text, effects: account.effects })
  return {
    call: { id: callId, name: tool.name, arguments: toArguments(call.input) },
    result: { role: 'tool', callId, text, seq: result.seq, files: [] },
    beatId: result.id,
    seq: announced.seq,
    ran: true,
  }
}

function contextOf({ context }: Turn, { tools, scope }: ChildPlan, callId: string): TurnContext {
  const { ledger } = context.ports
  const { tokens, nanos } = scope.budget
  return {
    ...context,
    ports: { ...context.ports, ledger: nest(ledger, callId) },
    tools,
    scope: { ...context.scope, mode: scope.mode, child: scope },
    ...(context.purse && { purse: context.purse.cut({ tokens, nanos }) }),
  }
}

/** A ledger that says of each beat whose child's it is; a child of this child has said it already. */
function nest(ledger: LedgerPort, callId: string): LedgerPort {
  return {
    append: (draft) => ledger.append({ within: callId, ...draft }),
    appendTogether: (work) =>
      // What is added changes nothing of a draft's kind, which is what the types lose sight of.
      ledger.appendTogether((write) => work(((draft: BeatDraft) => write({ within: callId, ...draft } as never)) as WriteBeat)),
  }
}

function inputOf({ input, limits, reading }: Turn, { task, scope }: ChildPlan, seq: number): TurnInput {
  const { requests, ms } = scope.budget
  const nothingBefore = { goal: null, files: [], quarantined: [], task: 'answer' as const }
  return {
    modelId: input.modelId,
    prompt: task,
    history: [],
    context: { ...reading.input, ...nothingBefore, correction: reading.correction, promptSeq: seq },
    limits: { ...limits, steps: requests, calls: Math.min(childLimits.calls, limits.calls), wallMs: ms },
  }
}

function statusOf({ kind }: Outcome): CallStatus {
  switch (kind) {
    case 'completed':
      return 'done'
    case 'cancelled':
      return 'killed'
    case 'failed':
    case 'interrupted':
      return 'failed'
  }
}

function refusalOf(outcome: Outcome): Refusal | null {
  return outcome.kind === 'failed' || outcome.kind === 'interrupted' ? outcome.refusal : null
}
