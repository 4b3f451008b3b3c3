/** Every text of a request is cleaned, whatever its length and wherever it stands; or nothing is sent. */
import { randomBytes } from 'node:crypto'
import { redactionLimits } from '@bridlewise/engine'
import type { ModelRequest } from '@bridlewise/shared/wire'
import { describe, expect, test } from 'vitest'
import { createRedaction } from './redaction.ts'

const never = new AbortController().signal
const canary = () => `canary-${randomBytes(12).toString('hex')}`

function requestOf(text: string, part: string): ModelRequest {
  return {
    runId: 'r1',
    step: 1,
    modelId: 'm',
    messages: [
      { role: 'system', text: `system ${text}` },
      { role: 'user', text: `user ${text}` },
      { role: 'assistant', text: `assistant ${text}`, calls: [{ id: 'c1', name: `name_${part}`, arguments: `{"a":"${part}"}` }] },
      { role: 'tool', callId: 'c1', text: `tool ${text}` },
    ],
    tools: [{ name: `tool_${part}`, description: text, parameters: { type: 'object', description: text, enum: [part] } }],
  }
}

describe('a stored secret', () => {
  test.each([
    ['short texts', 0],
    ['long texts', redactionLimits.inlineLength],
  ])('is nowhere in a request of %s', async (_name, length) => {
    const secret = canary()
    const text = `${'words '.repeat(length / 6 + 1)}${secret} and more`
    const redacted = await createRedaction([secret]).request(requestOf(text, secret), never)
    if (!redacted.ok) throw new Error(redacted.refusal.message)
    const { request, counts } = redacted.value
    expect(JSON.stringify(request)).not.toContain(secret)
    expect(counts).toEqual({ stored_secret: 10 })
    expect(JSON.stringify(request.messages)).toContain('words ')
  })

  test('is not in what is quoted, and of a very long text only the beginning is', () => {
    const secret = canary()
    const redaction = createRedaction([secret])
    expect(redaction.text(`endpoint says ${secret}`)).toMatch(/^endpoint says \[REDACTED:stored_secret:[0-9a-f]{8}\]$/)
    const cut = redactionLimits.inlineLength - secret.length / 2
    const long = redaction.text(`${'a b '.repeat(cut / 4)}${secret}`)
    expect(long).not.toContain('canary')
    expect(long.length).toBeLessThan(redactionLimits.inlineLength)
  })
})

test('half a secret, where an answer broke off, is not in what is quoted, and the words before it are', () => {
  const said = `cannot take this: ${'ordinary words, '.repeat(40)}`
  const token = `ghp_${randomBytes(18).toString('hex')}`
  const { text } = createRedaction([])
  expect(text(said + token, 'whole')).toBe(text(said) + text(token))
  const quoted = text(said + token.slice(0, 30), 'beginning')
  expect(quoted).toContain('cannot take this: ordinary words')
  expect(quoted).not.toContain('ghp')
  // Half a stored one has no shape at all.
  const secret = canary()
  expect(createRedaction([secret]).text(said + secret.slice(0, 20), 'beginning')).not.toContain('canary')
})

test('a request that cannot be cleaned is refused whole', async () => {
  const text = `${'words '.repeat(redactionLimits.inlineLength)}`
  const redaction = createRedaction([])
  const stopped = await redaction.request(requestOf(text, 'part'), AbortSignal.abort())
  expect(stopped).toMatchObject({ ok: false, refusal: { code: 'redaction_failed' } })
  expect(await redaction.request(requestOf('short', 'part'), never)).toMatchObject({ ok: true })
})
