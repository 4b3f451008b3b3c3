import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { admitHarness } from '@bridlewise/engine'
import { ok } from '@bridlewise/shared/refusals'
import type { Run } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { contextOf } from '../../tests/support/call-context.ts'
import { mustOk, openRunHouse } from '../../tests/support/run-room.ts'
import { answers, answersWith, callsTool, type Received, type Step } from '../../tests/support/script.ts'
import { newId } from '../../tests/support/store.ts'
import { forkChat } from '../rewinds/index.ts'
import { createContextHandlers } from './context.ts'

const large = `${'word '.repeat(600)}\n`
const holds = ({ raw }: Received) => raw.includes('word word word')

/** A chat whose first run reads a large file; the endpoint then answers as `next` says. */
async function openChat(next: (request: Received) => Step) {
  const house = await openRunHouse((request, count) =>
    count === 0 ? callsTool('read_file', { path: 'large.txt' }) : next(request),
  )
  const { room, endpoint } = house
  const project = await room.addProject()
  await writeFile(join(project.root, 'large.txt'), large)
  const ask = async (prompt: string, chatId?: string): Promise<Run> => {
    const run = mustOk(await room.start({ prompt, ...(chatId ? { chatId } : { projectId: project.id }) }))
    await room.watch(run.id)
    return room.store.runs.get(room.owner, run.id) ?? run
  }
  const run = await ask('Read it.')
  const { chatId } = run
  const { store, bridge, runs, owner } = room
  return {
    room,
    run,
    chatId,
    ask,
    sent: endpoint.received,
    context: createContextHandlers({ store, bridge, control: runs }),
    leftOut: () =>
      store.ledger
        .newest(owner, { chatId, kinds: ['quarantine'], limit: 9 })
        .map((beat) => beat.kind === 'quarantine' && beat.payload),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}

/** The place of the last message of a body, as endpoints write it. */
function placeOfLast({ body }: Received): string {
  return `messages[${(body?.messages?.length ?? 0) - 1}]`
}

it.each([
  ['is too large', () => answers(413, 'Payload Too Large'), 'largest'],
  [
    'makes the context too long',
    () => answers(400, { error: { message: 'Too many tokens.', code: 'context_length_exceeded' } }),
    'largest',
  ],
  [
    'is named by its place',
    (request: Received) => answers(400, { error: { message: `Invalid '${placeOfLast(request)}.content': not allowed here.` } }),
    'named',
  ],
] as const)('a result that %s is left out at the second request, and the run ends well', async (_case, refuses, found) => {
  await using chat = await openChat((request) => (holds(request) ? refuses(request) : answersWith('Done.')))
  expect(chat.run.outcome).toMatchObject({ kind: 'completed' })
  expect(chat.sent.map(holds)).toEqual([false, true, false])
  expect(chat.leftOut()).toMatchObject([{ found, items: [{ label: 'the result of read_file' }] }])
  // The record holds it whole, and the chat goes on without it.
  await chat.ask('And now?', chat.chatId)
  expect(chat.sent.map(holds)).toEqual([false, true, false, false])
})

it('an endpoint that refuses whatever it is sent is asked twice, and the chat can be gone on with', async () => {
  await using chat = await openChat(() => answers(413, 'Payload Too Large'))
  expect(chat.sent).toHaveLength(3)
  expect(chat.run.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'endpoint_refused_again' } })
  expect((await chat.ask('And now?', chat.chatId)).outcome).toMatchObject({
    kind: 'failed',
    refusal: { code: 'endpoint_refused' },
  })
  expect(chat.sent.map(holds)).toEqual([false, true, false, false])
})

it.each([
  ['a wrong key', 401, { error: { message: 'context too long' } }, 'endpoint_unauthorized'],
  ['a used up account', 400, { error: { message: 'too large', code: 'insufficient_quota' } }, 'endpoint_quota_used_up'],
  ['an unknown model', 400, { error: { message: 'The model is not found.', code: 'model_not_found' } }, 'endpoint_refused'],
  ['a refusal without a reason', 400, '', 'endpoint_refused'],
])('%s leaves nothing out', async (_case, status, body, code) => {
  await using chat = await openChat(() => answers(status, body))
  expect(chat.sent).toHaveLength(2)
  expect(chat.run.outcome).toMatchObject({ kind: 'failed', refusal: { code } })
  expect(chat.leftOut()).toEqual([])
})

it('what was left out stays so in a fork, and is sent again where its person restores it', async () => {
  let takesAll = false
  await using chat = await openChat((request) => (holds(request) && !takesAll ? answers(413, 'Too large') : answersWith('Done.')))
  const { room, chatId, context } = chat
  takesAll = true
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const parts = { store: room.store, clock, ids: { next: newId }, grants: () => ok(admitHarness()), reportFault: String }
  const fork = mustOk(forkChat(parts, room.owner, { chatId }))
  await chat.ask('And here?', fork.id)
  const [item] = mustOk(await context.get(contextOf(room.owner), { chatId })).context.quarantined
  mustOk(await context.restore(contextOf(room.owner), { chatId, seq: item?.seq ?? 0, message: item?.message ?? 0 }))
  await chat.ask('And now?', chatId)
  await chat.ask('Still?', fork.id)
  expect(chat.sent.slice(3).map(holds)).toEqual([false, true, false])
})
