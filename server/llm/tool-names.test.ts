import type { ModelPort } from '@bridlewise/engine'
import type { ModelEvent, ModelRequest } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { fitToolNames } from './tool-names.ts'

const long = `${'search_'.repeat(8)}in_all_tables`
const twin = `${'search_'.repeat(8)}in_one_table`

/** A model that refuses, as endpoints do, a name that is too long or has other characters; it calls each tool once. */
function strictModel(limit: number, seen: ModelRequest[]): ModelPort {
  return {
    fixture: false,
    async *stream(request): AsyncGenerator<ModelEvent> {
      seen.push(request)
      for (const { name } of request.tools) {
        if (name.length > limit || !/^[A-Za-z0-9_-]+$/.test(name)) throw new Error(`400: ${name}`)
        yield { type: 'call_start', callId: name, name }
        yield { type: 'call_end', call: { id: name, name, arguments: '{}' } }
      }
    },
  }
}

async function callAll(names: readonly string[], limit: number) {
  const seen: ModelRequest[] = []
  const request: ModelRequest = {
    runId: 'run',
    step: 1,
    modelId: 'm',
    tools: names.map((name) => ({ name, description: '', parameters: {} })),
    messages: [{ role: 'assistant', text: '', calls: names.map((name) => ({ id: name, name, arguments: '{}' })) }],
  }
  const events: ModelEvent[] = []
  const model = fitToolNames(strictModel(limit, seen), () => limit)
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event)
  const [sent] = seen
  const [past] = sent?.messages ?? []
  return {
    called: events.flatMap((event) => (event.type === 'call_end' ? [event.call.name] : [])),
    started: events.flatMap((event) => (event.type === 'call_start' ? [event.name] : [])),
    offered: sent?.tools.map(({ name }) => name),
    replayed: past?.role === 'assistant' ? past.calls.map(({ name }) => name) : [],
  }
}

describe('a tool', () => {
  it.each([
    ['that is too long', [long], 40],
    ['with characters that are not taken', ['files.read', 'files/read'], 64],
    ['whose twin begins the same', [long, twin], 32],
    ['at an endpoint that takes almost nothing', [long, twin], 8],
  ])('%s is offered by a name that is taken, and called by its own', async (_, names, limit) => {
    const { called, started, offered, replayed } = await callAll(names, limit)
    expect([called, started]).toEqual([names, names])
    expect(new Set(offered).size).toBe(names.length)
    expect(replayed).toEqual(offered)
  })

  it('whose name fits is offered by it', async () => {
    const { called, offered } = await callAll(['read_file', long], 64 + long.length)
    expect([called, offered]).toEqual([
      ['read_file', long],
      ['read_file', long],
    ])
  })
})
