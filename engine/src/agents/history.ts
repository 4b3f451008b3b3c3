/** A chat's earlier turns, rebuilt from the ledger into what a model reads. */
import type { Beat, BeatOf, ModelCall, ModelMessage } from '@bridlewise/shared/wire'
import { toArguments } from './messages.ts'
import { filesOf } from './origin.ts'
import { type Listener, withThought } from './thoughts.ts'

type CallBeat = BeatOf<'call'> | BeatOf<'blocked'>

/**
 * Rebuild earlier turns from their beats, oldest first.
 *
 * Contract: every call in the outcome is followed by exactly one result, in the order of the calls.
 * A call without a recorded result gets one that says so; a result without its call is dropped. No
 * system message, no two answers of the model side by side. Of a child only what its call was answered
 * with is told. Thoughts are told to `listener` alone, where they came from it.
 */
export function historyFromBeats(all: readonly Beat[], listener: Listener | null = null): ModelMessage[] {
  const beats = all.filter(({ within }) => within === undefined)
  const results = resultsByCall(beats)
  const messages: ModelMessage[] = []
  let answer = nothing
  let heard: BeatOf<'thought'> | null = null
  /** The thought of the answer that a beat is of. */
  const thoughtOf = ({ derivation }: Beat) =>
    heard?.derivation[0] !== undefined && heard.derivation[0] === derivation[0] ? heard : null
  /** In a run that only summarises nothing was said to the model. */
  let isSummary = false

  const close = () => {
    if (answer !== nothing) messages.push(...answerMessages(answer, results, listener))
    answer = nothing
  }
  for (const beat of beats) {
    if (isSummary && beat.kind === 'message') continue
    if (beat.kind === 'thought') heard = beat
    else if (beat.kind === 'message' && beat.payload.role === 'user') {
      close()
      messages.push({ role: 'user', text: beat.payload.text, seq: beat.seq })
    } else if (beat.kind === 'message') {
      // The words of a step come before its calls, so words after a call belong to the next answer.
      if (answer.calls.length > 0) close()
      const thought = thoughtOf(beat)
      answer = {
        text: joinTexts(answer.text, beat.payload.text),
        calls: [],
        step: null,
        seq: answer.seq ?? thought?.seq ?? beat.seq,
        // What was signed were the words of one answer.
        thought: answer.text === '' ? thought : null,
      }
    } else if (beat.kind === 'call' || beat.kind === 'blocked') {
      if (answer.step !== null && answer.step !== beat.payload.step) close()
      const thought = answer.calls.length > 0 ? answer.thought : thoughtOf(beat)
      answer = {
        text: answer.text,
        calls: [...answer.calls, beat],
        step: beat.payload.step,
        seq: answer.seq ?? thought?.seq ?? beat.seq,
        thought,
      }
    } else if (beat.kind === 'claims' && beat.payload.nudge !== null) {
      close()
      messages.push({ role: 'user', text: beat.payload.nudge, seq: beat.seq })
    } else if (beat.kind === 'run_started' || beat.kind === 'run_ended') {
      close()
      isSummary = beat.kind === 'run_started' && beat.payload.task === 'compact'
    }
  }
  close()
  return messages
}

interface Answer {
  readonly text: string
  readonly calls: readonly CallBeat[]
  /** The step its calls belong to; null while it has none. */
  readonly step: number | null
  /** Its first beat. */
  readonly seq: number | null
  /** What came with it. */
  readonly thought: BeatOf<'thought'> | null
}

const nothing: Answer = { text: '', calls: [], step: null, seq: null, thought: null }

/** What each call was answered with. The first answer counts; a second one would break the pairing. */
function resultsByCall(beats: readonly Beat[]): Map<string, BeatOf<'result'>> {
  const results = new Map<string, BeatOf<'result'>>()
  for (const beat of beats) {
    if (beat.kind === 'result' && !results.has(beat.payload.callId)) results.set(beat.payload.callId, beat)
  }
  return results
}

function answerMessages(
  answer: Answer,
  results: ReadonlyMap<string, BeatOf<'result'>>,
  listener: Listener | null,
): ModelMessage[] {
  const calls: ModelCall[] = answer.calls.map(({ payload }) => ({
    id: payload.callId,
    name: payload.tool,
    arguments: toArguments(payload.input),
  }))
  const answers = answer.calls.map((call): ModelMessage => {
    const { callId } = call.payload
    const result = results.get(callId)
    const text = call.kind === 'blocked' ? call.payload.refusal.message : (result?.payload.text ?? interruptedText)
    const files = call.kind === 'call' && result ? filesOf(result.payload) : []
    return { role: 'tool', callId, text, seq: result?.seq ?? call.seq, files }
  })
  const said = { role: 'assistant' as const, text: answer.text, calls, seq: answer.seq ?? undefined }
  return [withThought(said, answer.thought?.payload ?? null, listener), ...answers]
}

const interruptedText = 'The run was interrupted during this call. Whether it had effects is unknown.'

function joinTexts(before: string, after: string): string {
  return before === '' ? after : `${before}\n\n${after}`
}
