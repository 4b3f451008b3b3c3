/** The one place where a run ends: its status, its last beat and its terminal frame come together or not at all. */
import { type Result, refuse } from '@bridlewise/shared/refusals'
import type { Beat, Frame, FrameDraft, Outcome, Run } from '@bridlewise/shared/wire'
import { StorageFault } from '../storage/index.ts'
import type { RunParts } from './control.ts'
import { type RunTally, tallyOf } from './tally.ts'
import type { RunBeatScope } from './ticket.ts'

type EndParts = Pick<RunParts, 'store' | 'feed' | 'clock' | 'ids'>
type OutsideParts = EndParts & Pick<RunParts, 'budget'>

/**
 * End a run that was executed here.
 *
 * Contract: of all callers for one run exactly one gets `ok`; only its terminal frame exists.
 * Refuses: run_already_ended.
 */
export function endRun(parts: EndParts, scope: RunBeatScope, outcome: Outcome): Promise<Result<Run>> {
  return finish(parts, scope, () => ({ outcome, complete: () => [] }))
}

/**
 * End a run whose executor is gone or does not answer, from what the record holds.
 *
 * Contract: words that arrived but were not recorded as a message become one; calls without a result
 * become `unknown`, and children end with the run; a request without an answer is charged by what was sent, for it may be billed. A
 * record that was damaged is not completed: the run fails, and says what it met.
 * Refuses: run_already_ended.
 */
export async function endFromOutside(
  parts: OutsideParts,
  scope: RunBeatScope,
  outcome: (tally: RunTally) => Outcome,
): Promise<Result<Run>> {
  const ending = (): Ending => {
    const before = readBeats(parts, scope)
    const complete = () => [
      ...chargeUnanswered(parts, scope, before),
      ...keepWords(parts, scope),
      ...markUnknown(parts, scope, before),
      ...endChildren(parts, scope, { beats: before, outcome }),
    ]
    return { outcome: outcome(tallyOf(before)), complete }
  }
  try {
    return await finish(parts, scope, ending)
  } catch (cause) {
    if (!(cause instanceof StorageFault) || cause.refusal.code !== 'sealed_value_tampered') throw cause
    return endRun(parts, scope, { kind: 'failed', ...tallyOf([]), refusal: cause.refusal })
  }
}

interface Ending {
  readonly outcome: Outcome
  /** Writes what is missing in the record; gives the beats to show. */
  readonly complete: () => readonly Beat[]
}

/** `ending` is asked inside the transaction, when nothing more can come. */
async function finish(parts: EndParts, scope: RunBeatScope, ending: () => Ending): Promise<Result<Run>> {
  const { store, feed, clock } = parts
  const { status } = store.runs.get(scope, scope.runId) ?? { status: 'unknown' }
  let ended = refuse('run_already_ended', { status }) as Result<Run>
  await feed.commit(scope.runId, (number) =>
    store.enqueue(() => {
      const { outcome, complete } = ending()
      const at = clock.now()
      ended = store.runs.end(scope, scope.runId, { outcome, at })
      if (!ended.ok) return
      const beats = [...complete(), store.ledger.write(scope, { kind: 'run_ended', payload: { outcome }, source: 'server' })]
      store.executions.end(scope, scope.runId, at)
      store.leases.release(scope.runId)
      store.waiting.settle(scope, { ...scope, held: outcome.kind === 'completed' ? null : outcome.kind })
      store.chats.touch(scope, scope.chatId, at)
      const drafts: FrameDraft[] = beats.map((beat) => ({ kind: 'beat', beat }))
      store.frames.write(scope, number([...drafts, { kind: 'ended', run: ended.value }]))
    }),
  )
  feed.close(scope.runId)
  return ended
}

/** Words after the last recorded message, of the run and of each child, as the frames have them. Those of the run are the chat's too. */
function keepWords(parts: EndParts, scope: RunBeatScope): Beat[] {
  const { store, ids, clock } = parts
  const { chatId, runId } = scope
  return [...Map.groupBy(readFrames(parts, scope), childOf)].flatMap(([within, frames]) => {
    const said = frames.findLastIndex((frame) => frame.kind === 'beat' && frame.beat.kind === 'message')
    const words = frames.slice(said + 1).map((frame) => (frame.kind === 'text' ? frame.text : ''))
    const text = words.join('')
    if (text.trim() === '') return []
    const payload = { messageId: ids.next('message'), role: 'assistant' as const, text }
    if (within === undefined)
      store.messages.add(scope, { id: payload.messageId, chatId, runId, role: 'assistant', text, createdAt: clock.now() })
    return [store.ledger.write(scope, { kind: 'message', payload, source: 'model', ...inChild(within) })]
  })
}

function childOf(frame: Frame): string | undefined {
  if (frame.kind === 'beat') return frame.beat.within
  return frame.kind === 'text' ? frame.within : undefined
}

function chargeUnanswered({ store, budget }: OutsideParts, scope: RunBeatScope, beats: readonly Beat[]): Beat[] {
  const answered = new Set(beats.flatMap((beat) => (beat.kind === 'response' ? beat.derivation : [])))
  const run = store.runs.get(scope, scope.runId)
  if (!run) return []
  const kind = store.providers.get(scope, run.model.providerId)?.kind ?? ''
  const payer = { ...scope, projectId: run.projectId, kind, modelId: run.model.modelId }
  return beats
    .filter((beat) => beat.kind === 'request')
    .filter(({ id, payload }) => !payload.egress.fixture && !answered.has(id))
    .map(({ id, payload, within }) => {
      const charge = budget.chargeUnanswered(payer, payload.egress)
      const beat = store.ledger.write(scope, {
        kind: 'response',
        payload: { step: payload.step, finish: null, refusal: null, usage: null, firstMs: null, ms: 0, charge },
        source: 'server',
        derivation: [id],
        ...inChild(within),
      })
      store.charges.add(scope, { ...charge, at: beat.at })
      return beat
    })
}

function markUnknown({ store }: EndParts, scope: RunBeatScope, beats: readonly Beat[]): Beat[] {
  const answered = new Set(beats.map((beat) => (beat.kind === 'result' ? beat.payload.callId : '')))
  return beats
    .filter((beat) => beat.kind === 'call')
    .filter(({ payload }) => !answered.has(payload.callId))
    .map(({ id, payload: { callId, tool, headline }, within }) =>
      store.ledger.write(scope, {
        ...{ kind: 'unknown', payload: { callId, tool, headline }, source: 'server', derivation: [id] },
        ...inChild(within),
      }),
    )
}

interface Unended {
  readonly beats: readonly Beat[]
  readonly outcome: (tally: RunTally) => Outcome
}

/** Children that were at work end as their run does. */
function endChildren({ store }: EndParts, scope: RunBeatScope, { beats, outcome }: Unended): Beat[] {
  const ended = new Set(beats.map((beat) => (beat.kind === 'child_ended' ? beat.payload.callId : '')))
  return beats
    .filter((beat) => beat.kind === 'child_started')
    .filter(({ payload }) => !ended.has(payload.callId))
    .map(({ id, payload: { callId } }) => {
      const own = outcome(tallyOf(beatsOfChild(beats, callId)))
      const payload = { callId, outcome: own }
      return store.ledger.write(scope, { kind: 'child_ended', payload, source: 'server', derivation: [id], within: callId })
    })
}

/** Those of a child and of the children below it. */
function beatsOfChild(beats: readonly Beat[], callId: string): Beat[] {
  const family = new Set([callId])
  return beats.filter((beat) => {
    if (beat.within === undefined || !family.has(beat.within)) return false
    if (beat.kind === 'call') family.add(beat.payload.callId)
    return true
  })
}

function inChild(within: string | undefined): { within?: string } {
  return within === undefined ? {} : { within }
}

/** All beats of a run, oldest first. */
export function readBeats({ store }: Pick<EndParts, 'store'>, scope: RunBeatScope): Beat[] {
  const beats: Beat[] = []
  for (let after: string | undefined; ; ) {
    const page = store.ledger.list(scope, { runId: scope.runId, after, limit: 500 })
    beats.push(...page.items)
    if (page.next === undefined) return beats
    after = page.next
  }
}

function readFrames({ store }: EndParts, scope: RunBeatScope): Frame[] {
  const frames: Frame[] = []
  for (;;) {
    const page = store.frames.read(scope, scope.runId, { after: frames.at(-1)?.number ?? 0, limit: 1_000 })
    if (page.length === 0) return frames
    frames.push(...page)
  }
}
