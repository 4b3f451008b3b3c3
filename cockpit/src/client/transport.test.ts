import { makeRefusal, type RefusalCode } from '@bridlewise/shared/refusals'
import { describe, expect, it } from 'vitest'
import { limitSilence } from './silence.ts'
import { createTransport } from './transport.ts'

function transportThatAnswers(answer: () => Promise<Response>, token: string | null = 'the-token') {
  const seen: string[] = []
  const transport = createTransport({
    origin: '',
    fetch: answer,
    token: () => token,
    device: () => 'the-device',
    watch: {
      signedOut: () => seen.push('signed out'),
      locked: () => seen.push('locked'),
      reached: () => seen.push('reached'),
      unreachable: () => seen.push('unreachable'),
    },
  })
  return { transport, seen }
}

const refusal = (code: RefusalCode, status: number) => async () =>
  new Response(JSON.stringify({ refusal: makeRefusal(code) }), { status, headers: { 'content-type': 'application/json' } })

describe('the transport', () => {
  it.each([
    ['session_missing', 401, ['reached', 'signed out']],
    ['token_missing', 401, ['reached', 'signed out']],
    ['credentials_wrong', 401, ['reached']],
    ['access_denied', 403, ['reached']],
  ] as const)('takes %s for what it is', async (code, status, expected) => {
    const { transport, seen } = transportThatAnswers(refusal(code, status))
    const response = await transport.fetch('/api/run/list')
    expect(seen).toEqual(expected)
    expect(await response.json()).toMatchObject({ refusal: { code } })
  })

  it.each([
    ['the token alone while somebody is signed in', 'the-token', { 'x-bridlewise-token': 'the-token' }],
    ['the mark of the browser alone while nobody is', null, { 'x-bridlewise-device': 'the-device' }],
  ])('carries %s', (_, token, expected) => {
    expect(transportThatAnswers(refusal('access_denied', 403), token).transport.headers()).toEqual(expected)
  })

  it('reports a lost line, but not a call that was given up here', async () => {
    const { transport, seen } = transportThatAnswers(() => Promise.reject(new TypeError('failed to fetch')))
    await expect(transport.fetch('/api/health')).rejects.toThrow()
    await expect(transport.fetch('/api/health', { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(seen).toEqual(['unreachable'])
  })
})

describe('a stream with limited silence', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('passes on what arrives and ends as the body ends', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes('a'))
        controller.enqueue(bytes('b'))
        controller.close()
      },
    })
    expect(await limitSilence(new Response(body), 60_000).text()).toBe('ab')
  })

  it('fails a body that stops saying anything, and lets go of it', async () => {
    let letGo = false
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(bytes('a')),
      cancel: () => {
        letGo = true
      },
    })
    await expect(limitSilence(new Response(body), 20).text()).rejects.toThrow('nothing arrived')
    expect(letGo).toBe(true)
  })
})
