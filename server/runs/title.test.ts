import { randomBytes } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { mustOk, openRunHouse, type RunHouse } from '../../tests/support/run-room.ts'
import { answers, answersWith, hangup, type Script, type Step, silence } from '../../tests/support/script.ts'
import { newId } from '../../tests/support/store.ts'

/** A house whose second request is the one for a title. */
async function openNaming(title: Step, more: readonly Step[] = [], wanted: 'small' | 'words' = 'small'): Promise<RunHouse> {
  const steps: Script['steps'] = [answersWith('It is blue.'), title, ...more]
  const house = await openRunHouse(steps)
  house.room.store.settings.set(house.room.owner, 'titles', wanted)
  return house
}

const chatOf = ({ room }: RunHouse, chatId: string) => room.store.chats.get(room.owner, chatId)

async function runOnce({ room }: RunHouse, prompt: string, chatId?: string) {
  const run = mustOk(await room.start({ prompt, ...(chatId === undefined ? {} : { chatId }) }))
  const frames = await room.watch(run.id)
  expect(frames.at(-1)).toMatchObject({ kind: 'ended', run: { status: 'completed' } })
  return run
}

/** Once what a title costs is on record, nothing more happens for it. */
async function settled({ room }: RunHouse, runId: string, responses = 2): Promise<void> {
  await vi.waitFor(() => {
    const { items } = room.store.ledger.list(room.owner, { runId, limit: 100 })
    expect(items.filter(({ kind }) => kind === 'response')).toHaveLength(responses)
  })
}

/** The same answer, once something is ready. */
function waits({ answer }: Step, ready: Promise<void>): Step {
  if (answer.kind !== 'stream') throw new Error('only streams wait')
  return { answer: { ...answer, parts: [{ type: 'until', ready }, ...answer.parts] } }
}

describe('the title of a chat', () => {
  it('is thought up after the first turn, on record like every request, and said to be so', async () => {
    await using house = await openNaming(answersWith('"The colour', ' of the sky."'), [answersWith('Yes.')])
    const { room, endpoint } = house
    const run = await runOnce(house, 'Which colour is the sky?')
    await vi.waitFor(() =>
      expect(chatOf(house, run.chatId)).toMatchObject({ title: 'The colour of the sky', titleFrom: 'model' }),
    )
    const [, asked] = endpoint.received
    expect(asked?.body).toMatchObject({ model: 'scripted' })
    expect(asked?.raw.toString()).toMatch(/Which colour is the sky\?[\s\S]*It is blue\./)
    expect(asked?.body?.tools).toBeUndefined()
    expect(mustOk(room.store.departures.ofRun(room.owner, run.id))).toMatchObject([
      { purpose: 'answer' },
      { purpose: 'title', step: 2 },
    ])
    expect(room.store.charges.sum(room.owner, { runId: run.id })).toMatchObject({ calls: 2 })
    await runOnce(house, 'Sure?', run.chatId)
    expect(endpoint.received).toHaveLength(3)
    expect(endpoint.received[2]?.raw.toString()).not.toContain('The colour of the sky')
    expect(room.faults).toEqual([])
  })

  it('is the first words unless somebody wants another, and asks nobody', async () => {
    await using house = await openNaming(answersWith('Never.'), [], 'words')
    const run = await runOnce(house, 'Which colour is the sky?')
    await house.room.runs.close()
    expect(chatOf(house, run.chatId)).toMatchObject({ title: 'Which colour is the sky?', titleFrom: 'words' })
    expect(house.endpoint.received).toHaveLength(1)
  })

  it('is asked of the small model where one is chosen', async () => {
    await using house = await openNaming(answersWith('Sky.'))
    const { room, endpoint } = house
    const draft = {
      id: newId('provider'),
      name: 'p',
      kind: 'k',
      baseUrl: endpoint.baseUrl,
      apiKey: null,
      models: ['tiny'],
      createdAt: 1,
    }
    const { id: providerId } = room.store.providers.create(room.owner, draft)
    const model = { providerId, modelId: 'tiny' }
    room.store.modelRoles.set(room.owner, { chatId: null, projectId: null }, { role: 'small', model })
    const run = await runOnce(house, 'Which colour?')
    await settled(house, run.id)
    expect(endpoint.received.map(({ body }) => body?.model)).toEqual(['scripted', 'tiny'])
    const spent = room.store.charges.group(room.owner, 'model', { from: 0, limit: 5 })
    expect(spent.find(({ key }) => key === 'tiny')).toMatchObject({ calls: 1 })
  })

  it.each<[string, Step]>([
    ['refuses', answers(500, 'no')],
    ['hangs up', hangup],
    ['says nothing of use', answersWith('""')],
    ['says too much', answersWith('word '.repeat(400))],
  ])('stays the first words when the endpoint %s, and no turn fails by it', async (_how, step) => {
    await using house = await openNaming(step, [answersWith('Yes.')])
    const run = await runOnce(house, 'Which colour?')
    await settled(house, run.id)
    await runOnce(house, 'Sure?', run.chatId)
    await house.room.runs.close()
    expect(chatOf(house, run.chatId)).toMatchObject({ title: 'Which colour?', titleFrom: 'words' })
    expect(house.room.faults).toEqual([])
  })

  it('holds up neither the next turn nor a stop of the server when the endpoint says nothing', async () => {
    await using house = await openNaming(silence, [answersWith('Yes.')])
    const run = await runOnce(house, 'Which colour?')
    await house.endpoint.arrived(2)
    await runOnce(house, 'Sure?', run.chatId)
    await house.room.runs.close()
    expect(chatOf(house, run.chatId)).toMatchObject({ titleFrom: 'words' })
    expect(house.room.faults).toEqual([])
  })

  it('that a person gives meanwhile stays, and so does a chat that is removed meanwhile stay removed', async () => {
    const ready = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    await using house = await openNaming(waits(answersWith('Late.'), ready[0].promise), [
      answersWith('Blue.'),
      waits(answersWith('Late.'), ready[1].promise),
    ])
    const { room, endpoint } = house
    const named = await runOnce(house, 'Which colour?')
    await endpoint.arrived(2)
    mustOk(room.store.chats.rename(room.owner, named.chatId, 'By hand'))
    ready[0].resolve()
    await settled(house, named.id)
    expect(chatOf(house, named.chatId)).toMatchObject({ title: 'By hand', titleFrom: 'given' })

    const removed = await runOnce(house, 'And this?')
    await endpoint.arrived(4)
    const before = room.temp.rows<{ n: number }>('SELECT count(*) AS n FROM beats')[0]?.n
    mustOk(room.store.chats.remove(room.owner, removed.chatId))
    ready[1].resolve()
    await room.runs.close()
    expect(room.temp.rows<{ n: number }>('SELECT count(*) AS n FROM beats')[0]?.n).toBe(before)
    expect(room.faults).toEqual([])
  })

  it.each<[string, (house: RunHouse, chatId: string) => void]>([
    [
      'the budget is spent',
      ({ room }) => {
        const none = { nanos: null, tokens: null, calls: null, ms: null }
        room.store.settings.set(room.owner, 'ceilings', { run: { ...none, calls: 1 }, chat: none, project: none, day: none })
      },
    ],
    [
      'the person wants to see requests first',
      ({ room }, chatId) => room.store.settings.set(room.owner, 'held', { projects: [], chats: [chatId] }),
    ],
    ['somebody named the chat while it answered', ({ room }, chatId) => room.store.chats.rename(room.owner, chatId, 'By hand')],
  ])('is not asked for where %s', async (_why, change) => {
    const ready = Promise.withResolvers<void>()
    await using house = await openRunHouse([waits(answersWith('It is blue.'), ready.promise), answersWith('Yes.')])
    const { room, endpoint } = house
    room.store.settings.set(room.owner, 'titles', 'small')
    const run = mustOk(await room.start({ prompt: 'Which colour?' }))
    await endpoint.arrived(1)
    change(house, run.chatId)
    ready.resolve()
    await room.watch(run.id)
    room.store.settings.remove(room.owner, 'held')
    await runOnce(house, 'Sure?', run.chatId)
    expect(endpoint.received[1]?.raw.toString()).toContain('Sure?')
    expect(endpoint.received).toHaveLength(2)
    expect(room.faults).toEqual([])
  })

  it('sends no secret of the first message, of a known shape or stored here (RED)', async () => {
    await using house = await openNaming(answersWith('A key.'))
    const { room, endpoint } = house
    const secret = `ghp_${randomBytes(18).toString('hex')}`
    const stored = `stored-${randomBytes(12).toString('hex')}`
    room.addProvider(endpoint.baseUrl, { apiKey: stored })
    const run = await runOnce(house, `Use ${secret} and ${stored} for the sky.`)
    await settled(house, run.id)
    const raw = endpoint.received[1]?.raw.toString() ?? ''
    expect(raw).toContain('for the sky')
    for (const kept of [secret, stored]) expect(raw).not.toContain(kept)
    expect(mustOk(room.store.departures.ofRun(room.owner, run.id))[1]?.egress.redactions).not.toEqual({})
  })
})
