import type { ModelEvent, ModelMessage } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { recording } from '../demo/index.ts'
import { createFixtureModel } from './fixtures.ts'

const parameters = { type: 'object' }
const tools = ['list_files', 'read_file', 'execute_command', 'edit'].map((name) => ({ name, description: '', parameters }))

async function play(messages: readonly ModelMessage[], offered = tools, signal = new AbortController().signal) {
  const model = createFixtureModel({ ms: 0, nextId: () => 'call' })
  const events: ModelEvent[] = []
  for await (const event of model.stream({ runId: 'run', step: 1, modelId: 'demo', messages, tools: offered }, signal))
    events.push(event)
  return events
}

const asked: ModelMessage = { role: 'user', text: recording.prompt }
const wordsOf = (events: readonly ModelEvent[]) => events.map((event) => (event.type === 'text' ? event.text : '')).join('')

/** The conversation up to a step, every result being what the recording wants to see. */
function until(step: number): ModelMessage[] {
  const messages: ModelMessage[] = [asked]
  for (const [at, { words, call }] of recording.steps.slice(0, step).entries()) {
    const calls = call ? [{ id: `c${at}`, name: call.name, arguments: JSON.stringify(call.arguments) }] : []
    messages.push({ role: 'assistant', text: words, calls })
    messages.push({ role: 'tool', callId: `c${at}`, text: recording.steps[at + 1]?.after.join('\n') ?? '' })
  }
  return messages
}

it.each(recording.steps.map((step, at) => [at + 1, step] as const))(
  'step %i says its words and makes its call',
  async (at, step) => {
    const events = await play(until(at - 1))
    expect(events[0]).toMatchObject({ type: 'sent', egress: { fixture: true, bytes: 0 } })
    expect(wordsOf(events)).toBe(step.words)
    const call = events.find((event) => event.type === 'call_end')?.call
    expect(call && { name: call.name, arguments: JSON.parse(call.arguments) }).toEqual(step.call ?? undefined)
    expect(events.at(-1)).toEqual({ type: 'end', finish: step.call ? 'calls' : 'stop' })
  },
)

describe('outside the recording', () => {
  it.each<[string, readonly ModelMessage[], typeof tools]>([
    ['another task', [{ role: 'user', text: 'Write me a poem' }], tools],
    ['no tools', [asked], []],
    ['a result that differs', [...until(1).slice(0, -1), { role: 'tool', callId: 'c0', text: 'Not started.' }], tools],
  ])('with %s it says so and calls nothing', async (_what, messages, offered) => {
    const events = await play(messages, offered)
    expect(wordsOf(events)).toMatch(/record/)
    expect(events.at(-1)).toEqual({ type: 'end', finish: 'stop' })
  })

  it('past the end it has no words', async () => {
    expect((await play(until(recording.steps.length))).at(-1)).toMatchObject({
      type: 'failed',
      refusal: { code: 'fixture_exhausted' },
    })
  })
})

it('a second turn of the same chat begins at the first step', async () => {
  const events = await play([...until(recording.steps.length), { role: 'assistant', text: 'Done.', calls: [] }, asked])
  expect(wordsOf(events)).toBe(recording.steps[0]?.words)
})

it('stops when it is told to', async () => {
  expect((await play([asked], tools, AbortSignal.abort())).at(-1)).toEqual({ type: 'cancelled' })
})
