/** Reasoning and fields of vendors on their way out: to whom they came from, clean, and signatures whole or not at all. */
import { randomBytes } from 'node:crypto'
import type { ModelMessage, ModelRequest, Profile } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { writeBody } from './body.ts'
import { startingProfile } from './profile.ts'
import { createRedaction } from './redaction.ts'
import { leaveForeignThoughts } from './vendor-fields.ts'

const endpoint = 'https://one.example/v1'
const never = new AbortController().signal

const requestOf = (given: { reasoning?: string; ofCall?: unknown; ofAnswer?: unknown; modelId?: string }): ModelRequest => ({
  runId: 'run',
  step: 2,
  modelId: given.modelId ?? 'm',
  tools: [],
  messages: [
    { role: 'user', text: 'Go' },
    {
      role: 'assistant',
      text: '',
      calls: [{ id: 'c', name: 'look', arguments: '{}', extra: { extra_content: given.ofCall ?? 'signed' } }],
      thought: {
        endpoint,
        modelId: 'm',
        field: 'reasoning_content',
        reasoning: given.reasoning ?? 'I look.',
        extra: { reasoning_details: given.ofAnswer ?? 'sealed' },
      },
    },
    { role: 'tool', callId: 'c', text: 'seen' },
  ],
})

function answerOf(request: ModelRequest, reasoning: Profile['reasoning']): unknown {
  const body = JSON.parse(writeBody(request, { ...startingProfile('custom', 'm'), reasoning }))
  return body.messages.find(({ role }: ModelMessage) => role === 'assistant')
}

describe('what a vendor wants back', () => {
  const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' }, extra_content: 'signed' }
  const said = { role: 'assistant', content: null, tool_calls: [call], reasoning_details: 'sealed' }

  it.each<[Profile['reasoning'], object]>([
    [
      { field: 'reasoning_content', back: 'echo' },
      { ...said, reasoning_content: 'I look.' },
    ],
    [{ field: 'reasoning_content', back: 'strip' }, said],
    [{ field: null, back: 'strip' }, said],
  ])('is told under the name and in the way of the profile: %j', (reasoning, expected) => {
    expect(answerOf(requestOf({}), reasoning)).toEqual(expected)
  })

  it.each([
    ['the same endpoint and model', endpoint, 'm', true],
    ['another model', endpoint, 'n', false],
    ['another endpoint', 'https://two.example/v1', 'm', false],
  ])('goes to %s or nowhere', (_, to, modelId, goes) => {
    const left = leaveForeignThoughts(requestOf({ modelId }), to)
    const answer = JSON.stringify(answerOf(left, { field: 'reasoning_content', back: 'echo' }))
    for (const part of ['signed', 'sealed', 'I look.']) expect(answer.includes(part)).toBe(goes)
    expect(answer).toContain('"reasoning_content"')
  })
})

describe('a secret', () => {
  const secret = `canary-${randomBytes(12).toString('hex')}`

  it('in reasoning is replaced, and the signatures beside it stay', async () => {
    const cleaned = await createRedaction([secret]).request(requestOf({ reasoning: `It is ${secret}.` }), never)
    expect(cleaned).toMatchObject({ ok: true, value: { vendorLeftOut: 0, counts: { stored_secret: 1 } } })
    expect(JSON.stringify(cleaned)).toContain('It is [REDACTED:stored_secret:')
    expect(JSON.stringify(cleaned)).toMatch(/signed.*sealed/)
  })

  it.each<[string, object, string, string]>([
    ['a call', { ofCall: { google: [{ thought_signature: `abc${secret}` }] } }, 'signed', 'sealed'],
    ['an answer', { ofAnswer: [{ [secret]: 1 }] }, 'sealed', 'signed'],
  ])('in fields of %s keeps them here whole, and is counted', async (_, given, gone, stays) => {
    const cleaned = await createRedaction([secret]).request(requestOf(given), never)
    expect(cleaned).toMatchObject({ ok: true, value: { vendorLeftOut: 1 } })
    const written = JSON.stringify(cleaned)
    expect(written).not.toContain(secret)
    expect([written.includes(gone), written.includes(stays)]).toEqual([false, true])
  })

  it('is not what a signature is taken for', async () => {
    for (let at = 0; at < 40; at += 1) {
      const encoding = at % 2 === 0 ? 'base64' : 'base64url'
      const signature = randomBytes(100 + at * 20).toString(encoding)
      const cleaned = await createRedaction([secret]).request(
        requestOf({ ofCall: { google: { thought_signature: signature } } }),
        never,
      )
      expect(cleaned, signature).toMatchObject({ ok: true, value: { vendorLeftOut: 0 } })
    }
  })
})
