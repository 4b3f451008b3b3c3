import type { ModelMessage, ModelRequest } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { composeParts } from './manifest.ts'

const tools = [
  { name: 'read_file', description: 'Reads "a" file.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
]
const messages: readonly ModelMessage[] = [
  { role: 'system', text: 'Be exact.\n', instructions: [{ path: 'AGENTS.md', lines: [[1, 1]], digest: null }] },
  { role: 'user', text: 'Größe? 😀 "quoted" \\ \u0001' },
  { role: 'assistant', text: 'I look.', calls: [{ id: 'call_1', name: 'read_file', arguments: '{"path":"a.txt"}' }] },
  { role: 'tool', callId: 'call_1', text: 'x\ty\u2028z', files: [{ path: 'a.txt', lines: [[1, 2]], digest: null }] },
  { role: 'user', text: '' },
]
const request: ModelRequest = { runId: 'run_1', step: 1, modelId: 'm', messages, tools }

const redactions = new Map([['x\ty\u2028z', { email: 2 }]])

const bodyOf = (text: (given: string) => string) =>
  JSON.stringify({
    model: 'm',
    tools: tools.map(({ name, description }) => ({ name, description: text(description), parameters: 0 })),
    messages: messages.map((message) => {
      const calls =
        message.role === 'assistant' ? message.calls.map((call) => ({ name: call.name, arguments: text(call.arguments) })) : []
      return { role: message.role, content: text(message.text), calls }
    }),
  })

describe('the parts of a body', () => {
  it('add up to its bytes, and what is left is the body without its texts', () => {
    const schema = JSON.stringify(tools[0]?.parameters)
    const body = bodyOf((text) => text).replace('"parameters":0', `"parameters":${schema}`)
    const parts = composeParts({ request, body, redactions }).map(({ part }) => part)
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(Buffer.byteLength(body))
    const empty = Buffer.byteLength(bodyOf(() => '').replace('"parameters":0', '"parameters":'))
    expect(parts.at(-1)).toMatchObject({ kind: 'framing', bytes: empty, digest: null })
    expect(parts.map(({ kind, tool, callId }) => [kind, tool, callId])).toEqual([
      ['tools', 'read_file', null],
      ['tools', 'read_file', null],
      ['instructions', null, null],
      ['user', null, null],
      ['model', null, null],
      ['call', 'read_file', 'call_1'],
      ['result', 'read_file', 'call_1'],
      ['framing', null, null],
    ])
    expect(parts[2]?.files.map(({ path }) => path)).toEqual(['AGENTS.md'])
    expect(parts.flatMap(({ kind, redactions: counts }) => (counts?.['email'] ? [[kind, counts]] : []))).toEqual([
      ['result', { email: 2 }],
    ])
  })

  it('count what a vendor wants to see again, however it is called, but no ids and nothing twice', () => {
    const thought = 'I "think" that the file says more than it should. '.repeat(2)
    const extra = { id: 'call_01hzzzzzzzzzzzzzzzzzzzzzzz', reasoning_content: thought, content: 'I look.', role: 'assistant' }
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'Be exact.\n' }, extra] })
    const parts = composeParts({ request, body, redactions: new Map([[thought, { email: 1 }]]) })
    expect(parts.map(({ part, text }) => [part.kind, text])).toEqual([
      ['instructions', 'Be exact.\n'],
      ['model', 'I look.'],
      ['vendor', thought],
      ['framing', null],
    ])
    expect(parts.reduce((sum, { part }) => sum + part.bytes, 0)).toBe(Buffer.byteLength(body))
    expect(parts[2]?.part.redactions).toEqual({ email: 1 })
  })

  it('are only those that stand in it: a text that was left out counts nowhere', () => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'x\ty\u2028z' }] })
    const parts = composeParts({ request, body, redactions })
    expect(parts.map(({ part }) => part.kind)).toEqual(['result', 'framing'])
    expect(parts.reduce((sum, { part }) => sum + part.bytes, 0)).toBe(Buffer.byteLength(body))
  })
})
