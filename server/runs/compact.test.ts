import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endOf, kindsOf, mustOk, openRunHouse } from '../../tests/support/run-room.ts'
import { answersWith } from '../../tests/support/script.ts'

const long = 'word '.repeat(4_000)

describe('a chat that a person has summarised', () => {
  it('is read as the summary from then on, also after a restart, and word for word once the point is moved back', async () => {
    await using house = await openRunHouse([
      answersWith('Blue.'),
      answersWith('Yes.'),
      answersWith('They spoke of blue.'),
      answersWith('It was blue.'),
      answersWith('Still blue.'),
    ])
    const { room, endpoint } = house
    const bodyOf = (at: number) => endpoint.received[at]?.raw.toString() ?? ''
    const first = mustOk(await room.start({ prompt: `Name a colour. ${long}` }))
    const { chatId } = first
    await room.watch(first.id)
    await room.watch(mustOk(await room.start({ prompt: 'Sure?', chatId })).id)

    const run = mustOk(await room.runs.compact({ ...room.owner, id: chatId, idempotencyKey: null }))
    const frames = await room.watch(run.id)
    expect(endOf(frames)).toMatchObject({ status: 'completed', outcome: { steps: 1 } })
    expect(kindsOf(frames)).toContain('compaction')

    await room.restart()
    await room.watch(mustOk(await room.start({ prompt: 'Which?', chatId })).id)
    expect(bodyOf(3)).toContain('They spoke of blue.')
    expect(bodyOf(3)).not.toContain('Name a colour.')
    expect(bodyOf(3)).not.toContain('Summarise the earlier turns')

    room.store.ledger.write({ ...room.owner, runId: null, chatId }, { kind: 'boundary', payload: { upTo: 0 }, source: 'user' })
    await room.watch(mustOk(await room.start({ prompt: 'And now?', chatId })).id)
    expect(bodyOf(4)).toContain('Name a colour.')
    expect(bodyOf(4)).not.toContain('They spoke of blue.')
  })

  it('has to have been spoken in', async () => {
    await using house = await openRunHouse([])
    const { room } = house
    const chatId = 'chat_unknown'
    expect(await room.runs.compact({ ...room.owner, id: chatId, idempotencyKey: null })).toMatchObject({
      refusal: { code: 'thing_unknown' },
    })
  })
})

describe('what a person set', () => {
  it('goes with every request: the goal of the chat, and their own instructions', async () => {
    await using house = await openRunHouse([answersWith('Blue.'), answersWith('Still.')])
    const { room, endpoint } = house
    await writeFile(join(room.store.homes.data, 'AGENTS.md'), 'Answer in one word.')
    const first = mustOk(await room.start({ prompt: 'Name a colour.' }))
    await room.watch(first.id)
    const goal = { kind: 'goal', payload: { text: 'Find the bluest blue.' }, source: 'user' } as const
    room.store.ledger.write({ ...room.owner, runId: null, chatId: first.chatId }, goal)
    await room.watch(mustOk(await room.start({ prompt: 'Sure?', chatId: first.chatId })).id)
    const [before, after] = endpoint.received.map(({ raw }) => raw.toString())
    expect(before).toContain('> Answer in one word.')
    expect(before).not.toContain('bluest')
    expect(after).toContain('> Find the bluest blue.')
  })
})
