import type { ModelMessage } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { choke, estimateTokens } from './choke.ts'

const long = 'a line of a file\n'.repeat(50)
const result = (callId: string, text: string): ModelMessage => ({ role: 'tool', callId, text })
const request = (messages: readonly ModelMessage[]) => ({ runId: 'run', step: 1, modelId: 'm', messages, tools: [] })
const textsOf = (messages: readonly ModelMessage[], window: number | null = null) => {
  const choked = choke(request(messages), window)
  return choked.ok ? choked.value.messages.map(({ text }) => text) : choked.refusal.code
}

describe('a result that was given before', () => {
  it('stands whole once, where it is newest', () => {
    const [older, other, newer] = textsOf([result('a', long), result('b', `${long}!`), result('c', long)])
    expect([other, newer]).toEqual([`${long}!`, long])
    expect(older).toMatch(/Left out/)
  })

  it('is left alone when it is short, or not a result', () => {
    const messages: ModelMessage[] = [
      result('a', 'ok'),
      result('b', 'ok'),
      { role: 'user', text: long },
      { role: 'user', text: long },
    ]
    expect(textsOf(messages)).toEqual(messages.map(({ text }) => text))
  })
})

describe('a window', () => {
  const messages = [result('a', long)]
  const needed = estimateTokens({ messages, tools: [] })

  it('that is large enough lets the request pass', () => {
    expect(textsOf(messages, needed)).toEqual([long])
  })

  it('that is too small refuses it', () => {
    expect(textsOf(messages, needed - 1)).toBe('context_irreducible')
  })

  it('that nobody knows is no limit', () => {
    expect(textsOf(messages, null)).toEqual([long])
  })
})
