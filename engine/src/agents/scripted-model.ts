/** A model that speaks from a script: for scenarios and tests, and marked as recorded wherever it is used. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { Finish, ModelCall, ModelEvent, ModelRequest, Usage, VendorFields } from '@bridlewise/shared/wire'
import type { ModelPort } from '../kernel/index.ts'

/** One answer. Whatever is left out does not come. */
export interface ScriptedAnswer {
  readonly reasoning?: string
  /** Several pieces arrive as several events. */
  readonly text?: string | readonly string[]
  /** Arguments given as text arrive as they are, however broken. */
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown; readonly extra?: ModelCall['extra'] }[]
  readonly vendor?: VendorFields
  readonly usage?: Usage
  /** How it ends; by itself when nothing is said. `waits` ends when it is told to, `deaf` never. */
  readonly ends?: Finish | { readonly failed: Refusal } | { readonly unsent: Refusal } | 'waits' | 'deaf' | 'throws'
}

export interface ScriptedModel extends ModelPort {
  /** What it was asked so far. */
  readonly requests: readonly ModelRequest[]
}

/** Contract: gives one answer per request, in order, and fails typed when there is none left. */
export function createScriptedModel(answers: readonly ScriptedAnswer[]): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    fixture: true,
    requests,
    stream: (request, signal) => {
      requests.push(request)
      return speak({ request, answer: answers[requests.length - 1] ?? exhausted, number: requests.length }, signal)
    },
  }
}

const exhausted: ScriptedAnswer = { ends: { unsent: makeRefusal('fixture_exhausted') } }

interface Speech {
  readonly request: ModelRequest
  readonly answer: ScriptedAnswer
  readonly number: number
}

async function* speak({ request, answer, number }: Speech, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  const { calls = [], ends = calls.length > 0 ? 'calls' : 'stop' } = answer
  if (typeof ends === 'object' && 'unsent' in ends) return yield { type: 'failed', refusal: ends.unsent }
  yield { type: 'sent', egress: describeRequest(request) }
  if (answer.reasoning) yield { type: 'reasoning', text: answer.reasoning }
  for (const text of [answer.text ?? []].flat()) yield { type: 'text', text }
  for (const [at, call] of calls.entries()) {
    const callId = `scripted-${number}-${at + 1}`
    const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
    yield { type: 'call_start', callId, name: call.name }
    yield {
      type: 'call_end',
      call: { id: callId, name: call.name, arguments: text, ...(call.extra ? { extra: call.extra } : {}) },
    }
  }
  if (answer.usage) yield { type: 'usage', usage: answer.usage }
  if (ends === 'throws') throw new Error('the script breaks the contract of the port')
  if (ends === 'deaf') await new Promise(() => {})
  if (ends === 'waits') {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return yield { type: 'cancelled' }
  }
  if (typeof ends === 'object') yield { type: 'failed', refusal: ends.failed }
  else if (ends !== 'deaf') yield { type: 'end', finish: ends, ...(answer.vendor ? { vendor: answer.vendor } : {}) }
}

/** Nothing left the machine, and the record says so. */
function describeRequest({ modelId, messages, tools }: ModelRequest) {
  const none = { endpoint: 'script', bytes: 0, digest: '', redactions: {} }
  return { ...none, modelId, messages: messages.length, tools: tools.length, fixture: true }
}
