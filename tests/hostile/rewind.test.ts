/** Going back under attack: a kill at each step, links, a replaced root, foreign files, and a long loop of edits. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { recoverChanges } from '../../server/rewinds/index.ts'
import { openRewindRoom, type RewindRoom, readTree } from '../support/rewind-room.ts'
import { rewindAndDie } from '../support/rewinding-process.ts'
import { codeOf } from '../support/run-room.ts'

let room: RewindRoom

afterEach(() => room[Symbol.asyncDispose]())

const before = { a: 'a\n', b: 'b\n', gone: 'gone\n' }
const after = { a: 'A\n', b: 'B\n', made: 'made\n' }

async function openChanged(): Promise<string> {
  room = await openRewindRoom(before)
  return room.play(
    'Change.',
    { edit: 'a', old: 'a', new: 'A' },
    { edit: 'b', old: 'b', new: 'B' },
    {
      command: 'work',
      does: (at) => {
        writeFileSync(at('made'), 'made\n')
        rmSync(at('gone'))
      },
    },
  )
}

describe('a server killed while it goes back', () => {
  it.each([
    ['before journal', after],
    ['after journal', after],
    ['before record', after],
    ['after record', before],
    ['before close', before],
    ['after close', before],
  ])('%s: the next start has every file as before or as after, and no hidden one', async (dies, files) => {
    const target = await openChanged()
    const { temp, owner, chatId, root, parts } = room
    temp.store.close()
    await rewindAndDie({ homes: temp.homes, owner, chatId, target, dies })
    await temp.reopen()
    await recoverChanges(parts)
    expect(readTree(root)).toEqual(files)
    expect(temp.store.rewinds.listUnfinished()).toEqual([])
    expect(temp.store.rewinds.list(owner, chatId)).toHaveLength(files === before ? 1 : 0)
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true })
    expect(room.faults).toEqual([])
  })
})

describe('what is not the chat’s', () => {
  it('is not touched: untracked files, ignore rules that somebody changed, git, and a branch that moved', async () => {
    const target = await openChanged()
    room.write('mine.bin', 'm'.repeat(1_000_000))
    room.write('.gitignore', '*.bin\nmade\n')
    room.write('.git/HEAD', 'ref: refs/heads/later\n')
    expect(codeOf(await room.rewind(target))).toBe('ok')
    expect(room.files()).toEqual({
      ...before,
      'mine.bin': 'm'.repeat(1_000_000),
      '.gitignore': '*.bin\nmade\n',
      '.git/HEAD': 'ref: refs/heads/later\n',
    })
  })

  it('is not reached through a link that took the place of a file or a directory', async () => {
    room = await openRewindRoom({ 'in/x': 'x\n', y: 'y\n' })
    const run = await room.play('go', { edit: 'in/x', old: 'x', new: 'X' }, { edit: 'y', old: 'y', new: 'Y' })
    const outside = `${room.root}-outside`
    mkdirSync(outside)
    try {
      writeFileSync(join(outside, 'x'), 'X\n')
      rmSync(join(room.root, 'in'), { recursive: true })
      symlinkSync(outside, join(room.root, 'in'))
      expect(await room.plan(run)).toEqual(['conflict in/x', 'restore y'])
      expect(codeOf(await room.rewind(run, 'files', ['in/x']))).toBe('ok')
      expect(readTree(outside)).toEqual({ x: 'X\n' })
    } finally {
      rmSync(outside, { recursive: true, force: true })
    }
  })

  it('is not taken for the project when another directory stands in its place', async () => {
    const target = await openChanged()
    renameSync(room.root, `${room.root}-moved`)
    try {
      mkdirSync(room.root)
      room.write('a', 'A\n')
      expect(codeOf(await room.rewind(target))).toBe('project_missing')
      expect(room.files()).toEqual({ a: 'A\n' })
    } finally {
      rmSync(room.root, { recursive: true })
      renameSync(`${room.root}-moved`, room.root)
    }
    expect(codeOf(await room.rewind(target))).toBe('ok')
  })
})

it('a loop of edits keeps two contents of its file, however long it goes on', async () => {
  room = await openRewindRoom({ log: `${'line\n'.repeat(2_000)}0\n` })
  const steps = Array.from({ length: 60 }, (_, at) => ({ edit: 'log', old: `\n${at}\n`, new: `\n${at + 1}\n` }))
  const run = await room.play('loop', ...steps)
  expect(room.temp.rows('SELECT count(*) AS n FROM versions')).toEqual([{ n: 2 }])
  expect(codeOf(await room.rewind(run))).toBe('ok')
  expect(existsSync(join(room.root, 'log'))).toBe(true)
  expect(room.files()['log']).toBe(`${'line\n'.repeat(2_000)}0\n`)
})
