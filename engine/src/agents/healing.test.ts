import { makeRefusal } from '@bridlewise/shared/refusals'
import { expect, it } from 'vitest'
import type { ScriptedAnswer } from './scripted-model.ts'
import { playTurn } from './test-turn.ts'

const tooLarge: ScriptedAnswer = {
  ends: { failed: makeRefusal('endpoint_refused', { status: 413, problem: 'Request too large' }) },
}
const files = { 'large.txt': `${'word '.repeat(400)}\n` }
const reads: ScriptedAnswer = { calls: [{ name: 'read_file', arguments: { path: 'large.txt' } }] }
const lists: ScriptedAnswer = { calls: [{ name: 'list_files', arguments: {} }] }

/** What the model was sent as results of tools, request by request. */
function resultsSent({ model }: Awaited<ReturnType<typeof playTurn>>) {
  return model.requests.map(({ messages }) => messages.filter(({ role }) => role === 'tool').map(({ text }) => text))
}

it('a request goes out once more without what made it too large, and the turn goes on without it', async () => {
  await using turn = await playTurn({ files, answers: [reads, tooLarge, lists, { text: 'Done.' }] })
  expect(turn.outcome).toMatchObject({ kind: 'completed', steps: 3 })
  const [, refused, again, next] = resultsSent(turn)
  expect(refused).toEqual([expect.stringContaining('word word')])
  expect(again).toEqual([expect.stringContaining('Left out')])
  expect(next).toEqual([expect.stringContaining('Left out'), expect.stringContaining('large.txt')])
  expect(turn.payloads('quarantine')).toMatchObject([{ found: 'largest', items: [{ label: 'the result of read_file' }] }])
  expect(turn.beats.map(({ kind }) => kind).slice(4, 9)).toEqual(['request', 'response', 'quarantine', 'request', 'response'])
})

it('an endpoint that refuses again is not asked a third time, and the ending says what to do', async () => {
  await using turn = await playTurn({ files, answers: [reads, tooLarge, tooLarge, { text: 'Never asked.' }] })
  expect(turn.model.requests).toHaveLength(3)
  expect(turn.outcome).toMatchObject({
    kind: 'failed',
    refusal: { code: 'endpoint_refused_again', details: { status: 413, items: 'the result of read_file' } },
  })
})

it('another trouble than before is told as what it is', async () => {
  const refusal = makeRefusal('endpoint_unauthorized', { status: 401 })
  await using turn = await playTurn({ files, answers: [reads, tooLarge, { ends: { failed: refusal } }] })
  expect(turn.outcome).toMatchObject({ kind: 'failed', refusal })
})

it('an answer that broke off after some words is not asked for again', async () => {
  await using turn = await playTurn({ files, answers: [reads, { ...tooLarge, text: 'So far' }] })
  expect(turn.model.requests).toHaveLength(2)
  expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'endpoint_refused' } })
  expect(turn.payloads('quarantine')).toEqual([])
})

it('the second request is paid for like the first, or it is not made', async () => {
  let asked = 0
  const spent = makeRefusal('budget_exceeded', {})
  const admit = () => (++asked === 3 ? ({ ok: false, refusal: spent } as const) : ({ ok: true, value: allowance } as const))
  const charge = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, estimated: true, nanos: 0, ms: 0 }
  const allowance = { charge: () => charge, release: () => undefined }
  const purse = { admit, cut: () => purse }
  await using turn = await playTurn({ files, purse, answers: [reads, tooLarge] })
  expect(turn.model.requests).toHaveLength(2)
  expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: spent, steps: 2 })
  expect(turn.payloads('quarantine')).toHaveLength(1)
})
