import { withholding } from '@bridlewise/engine'
import type { ModelMessage, ModelRequest } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { createWithholder } from './withhold.ts'

const rules = withholding([
  { kind: 'path', pattern: 'kept.txt' },
  { kind: 'tool', tool: 'git_log' },
])
const words = [
  { words: 'KEY=a-long-value', path: 'kept.txt', rule: 'kept.txt' },
  { words: 'a-long-value', path: 'kept.txt', rule: 'kept.txt' },
]
const mark = '[Kept back by the rule: kept.txt]'
const asked: ModelMessage = { role: 'user', text: 'Go on.' }

function ask(...messages: readonly ModelMessage[]) {
  const request: ModelRequest = { runId: 'run_1', step: 1, modelId: 'm', messages: [...messages, asked], tools: [] }
  const withheld = createWithholder(rules, words).request(request)
  if (!withheld.ok) throw new Error(withheld.refusal.code)
  return { messages: withheld.value.request.messages.slice(0, -1), counts: withheld.value.counts }
}

function callOf(name: string, args = '{}'): ModelMessage {
  return { role: 'assistant', text: '', calls: [{ id: 'c', name, arguments: args }] }
}

describe('what a rule keeps back', () => {
  it.each([
    ['nothing of it', 'a-long-valve', 'a-long-valve', { signature: 'a-long-valve' }],
    ['the words of it', 'It is a-long-value.', `It is ${mark}.`, null],
  ])('is %s of what a model thought about it, and no signature is changed', (_name, given, reasoning, extra) => {
    const signed = { signature: given }
    const from = { endpoint: 'e', modelId: 'm', field: null }
    const call = { id: 'c', name: 'look', arguments: '{}' }
    const said: ModelMessage = {
      role: 'assistant',
      text: '',
      calls: [{ ...call, extra: signed }],
      thought: { ...from, reasoning: given, extra: signed },
    }
    const { messages } = ask(said, { role: 'tool', callId: 'c', text: 'any' })
    const calls = [extra ? { ...call, extra } : call]
    expect(messages[0]).toEqual({ ...said, calls, thought: { ...from, reasoning, extra } })
  })

  it.each([
    ['a whole line', 'a\nKEY=a-long-value\nb', `a\n${mark}\nb`],
    ['a line in another', './kept.txt:1:KEY=a-long-value', `./kept.txt:1:${mark}`],
    ['a value alone, twice', 'a-long-value a-long-value', `${mark} ${mark}`],
    ['the longest at a place', 'xKEY=a-long-valuex', `x${mark}x`],
    ['nothing that only begins like it', 'KEY=a-long-valve', 'KEY=a-long-valve'],
  ])('is %s of what a command printed', (_name, text, masked) => {
    const { messages, counts } = ask(callOf('execute_command'), { role: 'tool', callId: 'c', text })
    expect(messages.at(-1)).toMatchObject({ text: masked })
    expect(counts).toEqual(masked === text ? {} : { 'kept.txt': 1 })
  })

  it('is the whole answer that holds lines of a withheld file, and not one of another file', () => {
    const of = (path: string): ModelMessage => ({
      role: 'tool',
      callId: 'c',
      text: 'any',
      files: [{ path, lines: [[1, 1]], digest: null }],
    })
    expect(ask(callOf('read_file'), of('kept.txt'))).toMatchObject({
      messages: [{}, { text: mark, files: [] }],
      counts: { 'kept.txt': 1 },
    })
    expect(ask(callOf('read_file'), of('open.txt')).messages.at(-1)).toEqual(of('open.txt'))
  })

  it("is every answer of a tool that is kept back, and no other tool's", () => {
    const answer: ModelMessage = { role: 'tool', callId: 'c', text: 'commits' }
    expect(ask(callOf('git_log'), answer).messages.at(-1)).toMatchObject({ text: '[Kept back by the rule: answers of git_log]' })
    expect(ask(callOf('git_diff'), answer).messages.at(-1)).toEqual(answer)
  })

  it('is taken out of words and arguments of the model, which stay JSON', () => {
    const args = JSON.stringify({ edits: [{ old: 'KEY=a-long-value', new: '"' }] })
    const [message] = ask({
      role: 'assistant',
      text: 'It is a-long-value.',
      calls: [{ id: 'c', name: 'edit', arguments: args }],
    }).messages
    expect(message).toMatchObject({ text: `It is ${mark}.` })
    expect(message?.role === 'assistant' && JSON.parse(message.calls[0]?.arguments ?? '')).toEqual({
      edits: [{ old: mark, new: '"' }],
    })
    const untouched = callOf('edit', '{ "spaced":  1 }')
    expect(ask(untouched).messages).toEqual([untouched])
  })

  it("stops the request when it stands in the person's newest words, and is replaced in older ones", () => {
    const pasted: ModelMessage = { role: 'user', text: 'use a-long-value' }
    expect(ask(pasted).messages).toEqual([{ role: 'user', text: `use ${mark}` }])
    const request: ModelRequest = { runId: 'run_1', step: 1, modelId: 'm', messages: [asked, pasted], tools: [] }
    expect(createWithholder(rules, words).request(request)).toMatchObject({
      refusal: { code: 'egress_withheld', details: { path: 'kept.txt', rule: 'kept.txt' } },
    })
  })
})
