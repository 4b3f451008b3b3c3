import { expect, it } from 'vitest'
import { endOf, mustOk, openRunHouse, type RunRoom, saidIn } from '../../tests/support/run-room.ts'
import { answers, answersWith, type Received, type Step } from '../../tests/support/script.ts'
import { findProfile, keepProfile } from '../providers/index.ts'
import { windowOf } from './reading.ts'

const refuses = (message: string) => answers(400, { error: { message, type: 'invalid_request_error' } })
const rolesOf = ({ body }: Received) => body?.messages?.map(({ role }) => role) ?? []

async function play(room: RunRoom, chatId?: string) {
  const run = mustOk(await room.start(chatId === undefined ? {} : { chatId }))
  const frames = await room.watch(run.id)
  const model = room.store.settings.get(room.owner, 'chosenModel')
  return { frames, end: endOf(frames), known: model && findProfile(room.store, room.owner, model) }
}

it.each<[string, (request: Received) => string | null, object]>([
  [
    'stream_options',
    ({ body }) => (body?.['stream_options'] ? 'Unrecognized request argument supplied: stream_options' : null),
    { streamOptions: false },
  ],
  [
    'the role of its instructions',
    (request) => (rolesOf(request).includes('system') ? 'System role not supported' : null),
    { instructions: 'user' },
  ],
  ['events', ({ body }) => (body?.stream ? 'stream: only false is taken' : null), { streaming: false, streamOptions: false }],
])('an endpoint that refuses %s is obeyed after one refusal, by later runs at once', async (_what, problemOf, fact) => {
  const steps = (request: Received): Step => {
    const problem = problemOf(request)
    if (problem) return refuses(problem)
    if (request.body?.stream) return answersWith('Hello.')
    const message = { role: 'assistant', content: 'Hello.' }
    return answers(200, { choices: [{ index: 0, message, finish_reason: 'stop' }] })
  }
  await using house = await openRunHouse(steps)
  const { room, endpoint } = house
  const first = await play(room)
  expect(first.end?.status).toBe('completed')
  expect(saidIn(first.frames)).toBe('Hello.')
  expect(endpoint.received).toHaveLength(2)
  expect(first.frames.filter(({ kind }) => kind === 'waiting')).toMatchObject([
    { for: 'attempt', attempt: { next: 2, refusal: { code: 'endpoint_corrected' } } },
  ])
  expect(first.known).toMatchObject({ source: 'corrected', profile: fact })
  expect((await play(room)).end?.status).toBe('completed')
  expect(endpoint.received).toHaveLength(3)
  expect(room.faults).toEqual([])
})

it('an endpoint that refuses whatever is corrected gets two requests, and its second refusal is the answer', async () => {
  await using house = await openRunHouse(() => refuses('stream_options: not known'))
  const { end } = await play(house.room)
  expect(end).toMatchObject({ outcome: { kind: 'failed', refusal: { code: 'endpoint_refused' } } })
  expect(house.endpoint.received).toHaveLength(2)
})

it('correcting a profile and leaving a message out are each done once: three requests for one step', async () => {
  const problems = ['stream_options: not known', 'The request is too large: maximum context length exceeded']
  let made = -1
  await using house = await openRunHouse(() =>
    made < 0 ? answersWith('Long words. '.repeat(300)) : refuses(problems[Math.min(made++, 1)] ?? ''),
  )
  const { room, endpoint } = house
  const first = await play(room)
  made = 0
  const second = await play(room, first.end?.chatId)
  expect(second.end?.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'endpoint_refused_again' } })
  expect(endpoint.received).toHaveLength(1 + 3)
})

it('what the person sets of a context counts before what was probed, and that before what is documented', async () => {
  await using house = await openRunHouse(() => answersWith('Hello.'))
  const { room } = house
  const model = { providerId: room.addProvider(house.endpoint.baseUrl, { kind: 'openai' }), modelId: 'gpt-4o' }
  const unknown = { ...model, modelId: 'unheard-of' }
  expect(windowOf(room, room.owner, unknown)).toEqual({ tokens: null, from: 'nobody' })
  expect(windowOf(room, room.owner, model)).toEqual({ tokens: 128_000, from: 'profile' })
  const profile = { ...room.bridge.startingProfile('openai', 'gpt-4o'), contextWindow: 32_000 }
  keepProfile(room.store, room.owner, { model, known: { profile, source: 'probed', at: 1 } })
  expect(windowOf(room, room.owner, model)).toEqual({ tokens: 32_000, from: 'profile' })
  room.store.settings.set(room.owner, 'contextWindows', { [`${model.providerId}/${model.modelId}`]: 16_000 })
  expect(windowOf(room, room.owner, model)).toEqual({ tokens: 16_000, from: 'person' })
})
