/**
 * The model that plays recorded words. It is chosen by a person, as a provider or for the whole
 * server, and never by a failure: nothing in this room falls back to it.
 */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelPort } from '@bridlewise/engine'
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { ModelEvent, ModelMessage, ModelRequest } from '@bridlewise/shared/wire'
import { type RecordedStep, recording } from '../demo/index.ts'

export interface Pace {
  /** Between two words. */
  readonly ms: number
  readonly nextId: () => string
}

const otherTask = `These are recorded words, and the recording knows one task only: “${recording.prompt}” Ask exactly that in the sample project, in act mode, or add a real provider.`
const otherResult =
  'The recording expected a different result here, so its words end. What the tools did is real; the rows above show it.'

export function createFixtureModel(pace: Pace): ModelPort {
  return { fixture: true, stream: (request, signal) => play(request, pace, signal) }
}

async function* play(request: ModelRequest, pace: Pace, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  yield { type: 'sent', egress: nothingSent(request) }
  const chosen = chooseStep(request)
  if (chosen === null) return yield { type: 'failed', refusal: makeRefusal('fixture_exhausted') }
  for (const word of chosen.words.match(/\s*\S+/g) ?? []) {
    if (pace.ms > 0) await sleep(pace.ms, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return yield { type: 'cancelled' }
    yield { type: 'text', text: word }
  }
  if (chosen.call === null) return yield { type: 'end', finish: 'stop' }
  const call = { id: pace.nextId(), name: chosen.call.name, arguments: JSON.stringify(chosen.call.arguments) }
  yield { type: 'call_start', callId: call.id, name: call.name }
  yield { type: 'call_end', call }
  yield { type: 'end', finish: 'calls' }
}

/** The step by how often the model has spoken since the person did; null past the end. */
function chooseStep(request: ModelRequest): Pick<RecordedStep, 'words' | 'call'> | null {
  const asked = request.messages.findLastIndex(({ role }) => role === 'user')
  const since = request.messages.slice(asked + 1)
  const step = recording.steps[since.filter(({ role }) => role === 'assistant').length]
  if (!step) return null
  const offered = step.call === null || request.tools.some(({ name }) => name === step.call?.name)
  if (request.messages[asked]?.text.trim() !== recording.prompt || !offered) return { words: otherTask, call: null }
  return fits(step, since.at(-1)) ? step : { words: otherResult, call: null }
}

function fits(step: RecordedStep, last: ModelMessage | undefined): boolean {
  return step.after.length === 0
    ? last === undefined
    : step.after.every((text) => last?.role === 'tool' && last.text.includes(text))
}

/** The manifest of a request that was never made. */
function nothingSent(request: ModelRequest) {
  return {
    endpoint: 'recorded words',
    modelId: request.modelId,
    bytes: 0,
    digest: hash('sha256', ''),
    messages: request.messages.length,
    tools: request.tools.length,
    redactions: {},
    fixture: true,
  }
}
