/** Delegating: tasks that stand side by side in an answer, given to children that work at once where they can. */
import { isDelegating } from '../tools/index.ts'
import { areIndependent, type ChildPlan, childLimits, planChild } from './child-plan.ts'
import { type BegunChild, playChild } from './child-turn.ts'
import { admitCall, block } from './gating.ts'
import { Together } from './together.ts'
import { type Answer, type Ending, record, type SettledCall, settle, type Turn, type TurnState } from './turn-state.ts'
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
  const left = new AbortController()
  const signal = AbortSignal.any([turn.signal, left.signal])
  const children = new Together<TurnEvent, SettledCall>()
  const plans = new Map<number, ChildPlan>()
  const settled = new Map<number, SettledCall>()
  const isFree = ({ scope }: ChildPlan) => {
    const busy = [...plans].filter(([place]) => !children.results.has(place)).map(([, plan]) => plan.scope)
    return busy.length < childLimits.atOnce && busy.every((other) => areIndependent(scope, other))
  }
  let ending: Ending | null = null
  let next = at
  let task: Delegating['call'] | null = call
  try {
    for (;;) {
      const plan = task && planChild(turn, task.tool.delegation(task.input))
      if (task && plan?.ok === false) {
        turn.loop.record(task.key, task.tool, { text: plan.refusal.message, effects: [] })
        const { callId: id, tool, input, headline } = task
        settled.set(next, yield* block(turn, answer, { call: { id, name: tool.name }, input, headline, refusal: plan.refusal }))
      } else if (task && plan?.ok) {
        yield* children.until(() => isFree(plan.value))
        if (turn.signal.aborted) break
        plans.set(next, plan.value)
        children.start(
          next,
          playChild(turn, { call: task, plan: plan.value, announced: yield* announce(turn, answer, task) }, signal),
        )
      }
      next += 1
      const following = answer.calls[next]
      if (!following || turn.signal.aborted || !isDelegating(turn.context.tools.find(following.name))) break
      const admission = yield* admitCall(turn, { answer, at: next, call: following })
      if (admission.kind === 'over') {
        ending = admission.ending
        break
      }
      if (admission.kind === 'blocked') settled.set(next, admission.settled)
      task = admission.kind === 'admitted' ? (admission.call as Delegating['call']) : null
    }
    yield* children.until(() => false)
  } finally {
    left.abort()
    await children.leave()
  }
  for (let place = at; place < next; place += 1) {
    const told = settled.get(place) ?? children.results.get(place)
    if (told) settle(turn, told)
  }
  return ending ? { name: 'done', ending } : { name: 'gating', answer, at: next }
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
