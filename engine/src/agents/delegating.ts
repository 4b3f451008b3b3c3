/** Delegating: tasks that stand side by side in an answer, given to children that work at once where they can. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { ChildScope } from '@bridlewise/shared/wire'
import { isDelegating } from '../tools/index.ts'
import { areIndependent, childLimits, planChild } from './child-plan.ts'
import { type BegunChild, playChild } from './child-turn.ts'
import { type Admission, admitCall, block } from './gating.ts'
import { Together } from './together.ts'
import { type Answer, record, type SettledCall, settle, type Turn, type TurnState } from './turn-state.ts'
import type { TurnEvent } from './turn-types.ts'

type Delegating = Omit<Extract<TurnState, { name: 'delegating' }>, 'name'>

/**
 * Carry out a task, and those that follow it directly.
 *
 * Contract: they are judged and begun in the order of the calls, each as soon as nothing that runs is in
 * its way, a few at once; results are told in that order, however they ended. When the turn is stopped
 * or left no child goes on.
 */
export async function* delegateCalls(turn: Turn, { answer, at, call }: Delegating): AsyncGenerator<TurnEvent, TurnState> {
  const siblings = new Siblings(turn)
  let admission: Admission = { kind: 'admitted', call }
  let next = at
  try {
    while (admission.kind !== 'over') {
      yield* siblings.take(answer, next, admission)
      next += 1
      const following = answer.calls[next]
      if (!following || turn.signal.aborted || !isDelegating(turn.context.tools.find(following.name))) break
      admission = yield* admitCall(turn, { answer, at: next, call: following })
    }
    yield* siblings.finish()
  } finally {
    await siblings.leave()
  }
  siblings.settle(at, next)
  return admission.kind === 'over' ? { name: 'done', ending: admission.ending } : { name: 'gating', answer, at: next }
}

/** The children of one answer, by the place of their calls in it. */
class Siblings {
  readonly #turn: Turn
  readonly #left = new AbortController()
  readonly #children = new Together<TurnEvent, SettledCall>()
  readonly #scopes = new Map<number, ChildScope>()
  /** Calls that no child carries out. */
  readonly #blocked = new Map<number, SettledCall>()

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** Begin what was admitted as soon as nothing is in its way. Tells what the others do meanwhile. */
  async *take(answer: Answer, place: number, admission: Exclude<Admission, { kind: 'over' }>): AsyncGenerator<TurnEvent, void> {
    if (admission.kind === 'blocked') return void this.#blocked.set(place, admission.settled)
    const { tool, ...gated } = admission.call
    if (!isDelegating(tool)) throw new Error('a call that is no task was given to a child')
    const call = { ...gated, tool }
    const plan = planChild(this.#turn, tool.delegation(call.input))
    if (!plan.ok) return void this.#blocked.set(place, yield* refuseTask(this.#turn, answer, { call, refusal: plan.refusal }))
    yield* this.#children.until(() => this.#isFree(plan.value.scope))
    if (this.#turn.signal.aborted) return
    const announced = yield* announce(this.#turn, answer, call)
    const signal = AbortSignal.any([this.#turn.signal, this.#left.signal])
    this.#scopes.set(place, plan.value.scope)
    this.#children.start(place, playChild(this.#turn, { call, plan: plan.value, announced }, signal))
  }

  async *finish(): AsyncGenerator<TurnEvent, void> {
    yield* this.#children.until(() => false)
  }

  async leave(): Promise<void> {
    this.#left.abort()
    await this.#children.leave()
  }

  settle(from: number, until: number): void {
    for (let place = from; place < until; place += 1) {
      const told = this.#blocked.get(place) ?? this.#children.results.get(place)
      if (told) settle(this.#turn, told)
    }
  }

  #isFree(scope: ChildScope): boolean {
    const busy = [...this.#scopes].flatMap(([place, other]) => (this.#children.results.has(place) ? [] : [other]))
    return busy.length < childLimits.atOnce && busy.every((other) => areIndependent(scope, other))
  }
}

interface RefusedTask {
  readonly call: BegunChild['call']
  readonly refusal: Refusal
}

async function* refuseTask(turn: Turn, answer: Answer, { call, refusal }: RefusedTask): AsyncGenerator<TurnEvent, SettledCall> {
  const { callId, key, tool, input, headline } = call
  turn.loop.record(key, tool, { text: refusal.message, effects: [] })
  return yield* block(turn, answer, { call: { id: callId, name: tool.name }, input, headline, refusal })
}

async function* announce(
  turn: Turn,
  answer: Answer,
  { callId, tool, headline, input }: BegunChild['call'],
): AsyncGenerator<TurnEvent, BegunChild['announced']> {
  return yield* record(turn, {
    kind: 'call',
    source: 'model',
    derivation: [answer.beatId],
    payload: { callId, step: answer.step, tool: tool.name, capability: tool.capability, headline, input },
  })
}
