import { appendFileSync, chmodSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openRewindRoom, type RewindRoom } from '../../tests/support/rewind-room.ts'
import { codeOf } from '../../tests/support/run-room.ts'
import { newId } from '../../tests/support/store.ts'
import { previewRewind, rewindChat } from './index.ts'

let room: RewindRoom

afterEach(async () => {
  expect(room.faults).toEqual([])
  expect(room.temp.store.rewinds.listUnfinished()).toEqual([])
  await room[Symbol.asyncDispose]()
})

/** A run that edits two files and runs a formatter, which changes one of them, makes one and removes one. */
async function openFormatted() {
  room = await openRewindRoom({ 'a.ts': 'a\n', 'b.ts': 'b\n', 'old.ts': 'old\n', 'mine.bin': 'untracked' })
  const first = await room.play(
    'Format.',
    { edit: 'a.ts', old: 'a', new: 'A' },
    { edit: 'b.ts', old: 'b', new: 'B' },
    {
      command: 'format',
      does: (at) => {
        writeFileSync(at('a.ts'), 'A;\n')
        writeFileSync(at('made.ts'), 'made\n')
        unlinkSync(at('old.ts'))
      },
    },
  )
  return first
}

const before = { 'a.ts': 'a\n', 'b.ts': 'b\n', 'old.ts': 'old\n', 'mine.bin': 'untracked' }
const after = { 'a.ts': 'A;\n', 'b.ts': 'B\n', 'made.ts': 'made\n', 'mine.bin': 'untracked' }

describe('going back', () => {
  it('undoes edits and what a command did, and going back to before that brings it all back', async () => {
    const run = await openFormatted()
    expect(await room.plan(run)).toEqual(['restore a.ts', 'restore b.ts', 'restore old.ts', 'remove made.ts'])
    expect(codeOf(await room.rewind(run))).toBe('ok')
    expect(room.files()).toEqual(before)
    expect(room.history()).toEqual([])
    const [rewind] = room.temp.store.rewinds.list(room.owner, room.chatId)
    expect(codeOf(await room.rewind(rewind?.id ?? ''))).toBe('ok')
    expect(room.files()).toEqual(after)
    expect(room.history()[0]).toBe('user: Format.')
    const [, second] = room.temp.store.rewinds.list(room.owner, room.chatId)
    expect(codeOf(await room.rewind(second?.id ?? ''))).toBe('ok')
    expect(room.files()).toEqual(before)
    expect(await room.temp.store.ledger.verify()).toMatchObject({ valid: true })
  })

  it('undoes what a child of the run did, and a model reads of it what its run was told', async () => {
    room = await openRewindRoom(before)
    const run = await room.play(
      'Have it changed.',
      { edit: 'a.ts', old: 'a', new: 'A' },
      {
        delegates: 'Change more.',
        steps: [
          { edit: 'a.ts', old: 'A', new: 'AA' },
          { command: 'work', does: (at) => writeFileSync(at('made.ts'), 'made\n') },
        ],
      },
      { edit: 'b.ts', old: 'b', new: 'B' },
    )
    expect(room.files()).toMatchObject({ 'a.ts': 'AA\n', 'b.ts': 'B\n', 'made.ts': 'made\n' })
    expect(room.history().filter((line) => line.startsWith('assistant'))).toHaveLength(4)
    expect(codeOf(await room.rewind(run))).toBe('ok')
    expect(room.files()).toEqual(before)
    expect(await room.temp.store.ledger.verify()).toMatchObject({ valid: true })
  })

  it('takes words or files alone', async () => {
    const run = await openFormatted()
    expect(codeOf(await room.rewind(run, 'conversation'))).toBe('ok')
    expect([room.files(), room.history()]).toEqual([after, []])
    const [words] = room.temp.store.rewinds.list(room.owner, room.chatId)
    await room.rewind(words?.id ?? '', 'conversation')
    expect(codeOf(await room.rewind(run, 'files'))).toBe('ok')
    expect([room.files(), room.history()[0]]).toEqual([before, 'user: Format.'])
    expect(codeOf(await room.rewind(run, 'files'))).toBe('rewind_empty')
  })

  it('goes back over several turns to any of them', async () => {
    room = await openRewindRoom({ a: '0\n' })
    await room.play('one', { edit: 'a', old: '0', new: '1' })
    const two = await room.play('two', { edit: 'a', old: '1', new: '2' })
    await room.play('three', { edit: 'a', old: '2', new: '3' })
    await room.rewind(two)
    expect(room.files()).toEqual({ a: '1\n' })
    expect(room.history().filter((words) => words.startsWith('user'))).toEqual(['user: one'])
  })

  it('brings back a script that can be run, and leaves the bits of a file that stays', async () => {
    room = await openRewindRoom({ run: 'x', other: 'y' })
    chmodSync(join(room.root, 'run'), 0o755)
    chmodSync(join(room.root, 'other'), 0o600)
    const run = await room.play('go', {
      command: 'work',
      does: (at) => {
        unlinkSync(at('run'))
        writeFileSync(at('other'), 'z')
      },
    })
    await room.rewind(run)
    expect(['run', 'other'].map((path) => statSync(join(room.root, path)).mode & 0o777)).toEqual([0o755, 0o600])
  })
})

describe('what somebody else did since', () => {
  it('is a conflict that stays, while the rest goes back; deciding counts for exactly what was seen', async () => {
    const run = await openFormatted()
    room.write('b.ts', 'my own\n')
    expect(await room.plan(run)).toContain('conflict b.ts')
    expect(codeOf(await room.rewind(run))).toBe('ok')
    expect(room.files()).toEqual({ ...before, 'b.ts': 'my own\n' })

    const decided = [{ path: 'b.ts', seen: '0'.repeat(64) }]
    const stale = { chatId: room.chatId, target: run, mode: 'files', decided } as const
    expect(codeOf(await rewindChat(room.parts, room.owner, stale))).toBe('rewind_empty')
    expect(codeOf(await room.rewind(run, 'files', ['b.ts']))).toBe('ok')
    expect(room.files()).toEqual(before)
    const rewinds = room.temp.store.rewinds.list(room.owner, room.chatId)
    await room.rewind(rewinds.at(-1)?.id ?? '', 'files')
    expect(room.files()['b.ts']).toBe('my own\n')
  })

  it.each([
    ['removed', 'conflict', (at: string) => rmSync(at)],
    ['appended to', 'conflict', (at: string) => appendFileSync(at, 'more')],
    ['put back by hand', 'same', (at: string) => writeFileSync(at, 'b\n')],
    ['written again as it was', 'restore', (at: string) => writeFileSync(at, 'B\n')],
  ])('a file that was %s is told as %s', async (_title, plan, act) => {
    const run = await openFormatted()
    act(join(room.root, 'b.ts'))
    expect(await room.plan(run)).toContain(`${plan} b.ts`)
  })

  it('between two turns is not lost when both go back', async () => {
    room = await openRewindRoom({ a: '0\n' })
    const one = await room.play('one', { edit: 'a', old: '0', new: '1' })
    room.write('a', '1\nmine\n')
    await room.play('two', { edit: 'a', old: '1', new: '2' })
    expect(await room.plan(one)).toEqual(['conflict a'])
    await room.rewind(one)
    expect(room.files()).toEqual({ a: '2\nmine\n' })
  })
})

describe('who may, and when', () => {
  it('is the owner of the chat, as long as the project is theirs to work in', async () => {
    const run = await openFormatted()
    const other = { userId: newId('user') }
    const request = { chatId: room.chatId, target: run, mode: 'both', decided: [] } as const
    expect(codeOf(await previewRewind(room.parts, other, request))).toBe('thing_unknown')
    expect(codeOf(await rewindChat(room.parts, other, request))).toBe('thing_unknown')
    expect(codeOf(await rewindChat(room.parts, room.owner, { ...request, target: newId('run') }))).toBe('thing_unknown')
    room.temp.change('UPDATE projects SET userId = ?', 'somebody')
    expect(codeOf(await rewindChat(room.parts, room.owner, request))).toBe('project_unshared')
    expect(room.files()).toEqual(after)
    expect(codeOf(await rewindChat(room.parts, room.owner, { ...request, mode: 'conversation' }))).toBe('ok')
  })

  it('waits for a run of the chat, and for one that works in the same tree', async () => {
    const run = await openFormatted()
    const { store } = room.temp
    const { dev, ino } = statSync(room.root, { bigint: true })
    store.leases.take(room.owner, { root: `${dev}:${ino}`, above: [] }, { runId: 'another', at: 1 })
    expect(codeOf(await room.rewind(run))).toBe('project_busy')
    store.leases.release('another')
    const model = { providerId: newId('provider'), modelId: 'm', label: 'm' }
    const draft = { id: newId('run'), chatId: room.chatId, projectId: null, mode: 'plan', model, fixture: false } as const
    store.runs.create(room.owner, { ...draft, idempotencyKey: null, createdAt: 1 })
    expect(codeOf(await room.rewind(run))).toBe('chat_busy')
    expect(room.files()).toEqual(after)
  })
})

describe('a fork', () => {
  it('begins with what stands up to a message, holds it itself, and can be forked again', async () => {
    room = await openRewindRoom({ a: '0\n' })
    await room.play('one', { says: 'First.' })
    const two = await room.play('two', { says: 'Second.' })
    const { store } = room.temp
    const [, first] = store.messages.list(room.owner, room.chatId, { limit: 9 }).items
    const fork = room.fork(first?.id)
    expect(room.history(fork)).toEqual(['user: one', 'assistant: First.'])
    await room.rewind(two)
    const all = room.fork()
    expect(room.history(all)).toEqual(['user: one', 'assistant: First.'])
    store.chats.remove(room.owner, room.chatId)
    expect(room.history(fork)).toEqual(['user: one', 'assistant: First.'])
    expect(store.messages.list(room.owner, fork, { limit: 9 }).items.map(({ text }) => text)).toEqual(['one', 'First.'])
    expect(await store.ledger.verify()).toMatchObject({ valid: true })
  })

  it('carries calls with their results, and no effect that would be undone twice', async () => {
    const run = await openFormatted()
    const fork = room.fork()
    expect(room.history(fork).filter((words) => words.startsWith('tool')).length).toBeGreaterThan(3)
    expect(codeOf(await rewindChat(room.parts, room.owner, { chatId: fork, target: run, mode: 'files', decided: [] }))).toBe(
      'thing_unknown',
    )
  })
})
