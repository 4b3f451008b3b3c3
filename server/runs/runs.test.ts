import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endOf, exited, kindsOf, mustOk, openRunHouse, openRunRoom, saidIn } from '../../tests/support/run-room.ts'
import { answers, answersWith, calls, callsTool, finishes, type Script, says, streams } from '../../tests/support/script.ts'

describe('a run', () => {
  it('goes from a prompt to an edited file, and everything of it is recorded', async () => {
    const edit = { edits: [{ path: 'notes.txt', old: 'two', new: '2' }] }
    await using house = await openRunHouse(
      [
        streams([says('I will ', 'look.'), calls('read_file', { path: 'notes.txt' }), finishes('tool_calls')]),
        callsTool('edit', edit),
        callsTool('execute_command', { command: 'npm test' }),
        answersWith('Done.'),
      ],
      { runProcess: async () => exited('1 passed') },
    )
    const { room, endpoint } = house
    const project = await room.addProject()
    const run = mustOk(await room.start({ prompt: 'Replace two.\nPlease.', projectId: project.id }))
    const frames = await room.watch(run.id)

    expect(endpoint.problems).toEqual([])
    expect(room.faults).toEqual([])
    expect(await readFile(join(project.root, 'notes.txt'), 'utf8')).toBe('one\n2\n')
    expect(frames.map(({ number }) => number)).toEqual(frames.map((_, at) => at + 1))
    expect(kindsOf(frames).slice(0, 3)).toEqual(['started', 'run_started', 'message'])
    expect(kindsOf(frames).slice(-2)).toEqual(['run_ended', 'ended'])
    expect(saidIn(frames)).toBe('I will look.Done.')
    expect(endOf(frames)).toMatchObject({ status: 'completed', outcome: { steps: 4, calls: 3, filesChanged: ['notes.txt'] } })

    const { items: beats } = room.store.ledger.list(room.owner, { runId: run.id, limit: 500 })
    expect(frames.flatMap((frame) => (frame.kind === 'beat' ? [frame.beat] : []))).toEqual(beats)
    expect(await room.store.ledger.verify()).toMatchObject({ valid: true, entries: beats.length })
    const chat = room.store.chats.get(room.owner, run.chatId)
    expect(chat).toMatchObject({ title: 'Replace two.', projectId: project.id, activeRunId: null })
    const { items: messages } = room.store.messages.list(room.owner, run.chatId, { limit: 10 })
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Replace two.\nPlease.'],
      ['assistant', 'I will look.'],
      ['assistant', 'Done.'],
    ])
  })

  it('remembers the turn before it', async () => {
    await using house = await openRunHouse([answersWith('Blue.'), answersWith('I said blue.')])
    const { room, endpoint } = house
    const first = mustOk(await room.start({ prompt: 'Name a colour.' }))
    await room.watch(first.id)
    const second = mustOk(await room.start({ prompt: 'Which one?', chatId: first.chatId }))
    await room.watch(second.id)
    expect(second.chatId).toBe(first.chatId)
    const said = endpoint.received[1]?.body?.messages?.filter(({ role }) => role !== 'system').map(({ content }) => content)
    expect(said).toEqual(['Name a colour.', 'Blue.', 'Which one?'])
  })

  it('sends no secret of the project, and no stored key', async () => {
    const stored = `words-of-mine-${randomBytes(4).toString('hex')}`
    const planted = `ghp_${randomBytes(60)
      .toString('base64')
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .slice(0, 36)}`
    await using house = await openRunHouse([callsTool('execute_command', { command: 'env' }), answersWith('ok')], {
      runProcess: async () => exited(`GITHUB_TOKEN=${planted}\nKEY=${stored}\n`),
    })
    const { room, endpoint } = house
    room.store.providers.create(room.owner, {
      id: room.store.providers.list(room.owner)[0]?.id.replace(/.$/, '0') ?? '',
      name: 'Other',
      kind: 'custom',
      baseUrl: 'https://models.example.com/v1',
      apiKey: stored,
      models: [],
      createdAt: 1,
    })
    const project = await room.addProject()
    const run = mustOk(await room.start({ projectId: project.id }))
    const frames = await room.watch(run.id)
    expect(endOf(frames)?.status).toBe('completed')
    const second = endpoint.received[1]?.raw.toString() ?? ''
    expect(second).toContain('GITHUB_TOKEN=')
    expect(second).not.toContain(planted)
    expect(second).not.toContain(stored)
  })

  it('of recorded words is marked so, and needs no provider', async () => {
    await using room = await openRunRoom({ fixtures: true })
    const run = mustOk(await room.start({ prompt: 'Anything' }))
    const frames = await room.watch(run.id)
    expect(run).toMatchObject({ fixture: true, model: { label: 'Recorded demo' } })
    expect(kindsOf(frames)).toContain('request')
    expect(endOf(frames)).toMatchObject({ fixture: true, status: 'completed' })
  })
})

describe('an endpoint that', () => {
  it.each<[string, Script['steps'], string, string]>([
    ['answers nonsense', [answers(200, '<html>', { 'content-type': 'text/html' })], 'endpoint_nonsense', ''],
    ['refuses', [answers(400, { error: { message: 'no' } })], 'endpoint_refused', ''],
    ['breaks off', [streams([says('Half'), { type: 'break' }])], 'endpoint_broke_off', 'Half'],
    ['stalls', [streams([says('Half'), { type: 'stall' }])], 'endpoint_stalled', 'Half'],
  ])('%s fails the run and loses no word', async (_what, steps, code, said) => {
    await using house = await openRunHouse(steps, { modelLimits: { idleMs: 80, firstMs: 20_000 } })
    const { room } = house
    const run = mustOk(await room.start({}))
    const frames = await room.watch(run.id)
    expect(endOf(frames)).toMatchObject({ status: 'failed', outcome: { kind: 'failed', refusal: { code } } })
    expect(saidIn(frames)).toBe(said)
    const { items } = room.store.messages.list(room.owner, run.chatId, { limit: 10 })
    expect(items.filter(({ role }) => role === 'assistant').map(({ text }) => text)).toEqual(said ? [said] : [])
    expect(room.faults).toEqual([])
  })

  it('is down fails the run with a remedy', async () => {
    await using room = await openRunRoom()
    room.addProvider('http://127.0.0.1:9/v1')
    const frames = await room.watch(mustOk(await room.start({})).id)
    expect(endOf(frames)?.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'endpoint_unreachable', fix: 'user' } })
  })
})
