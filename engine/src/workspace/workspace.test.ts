/** Reading a real directory tree: what is inside is read exactly, and no spelling or link leads out. */
import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorkspace, type Workspace } from './index.ts'

let home: string
let root: string
let workspace: Workspace

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'workspace-'))
  root = join(home, 'app')
  mkdirSync(join(root, 'src'), { recursive: true })
  writeFileSync(join(root, 'src/a.ts'), 'const a = 1\n', { mode: 0o640 })
  mkdirSync(join(home, 'app2'))
  writeFileSync(join(home, 'app2/secret.txt'), 'outside')
  const opened = await openWorkspace(root)
  if (!opened.ok) throw new Error(opened.refusal.message)
  workspace = opened.value
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

describe('opening', () => {
  test.each([
    ['a relative path', 'app'],
    ['what is not there', '/nowhere/at/all'],
    ['a file', '/proc/self/status'],
    ['the root of the file system', '/'],
    ['a home directory', homedir()],
  ])('%s is refused', async (_name, path) => {
    expect(await openWorkspace(path)).toMatchObject({ ok: false, refusal: { code: 'project_path_invalid' } })
  })

  test('a link to a project opens the project itself', async () => {
    symlinkSync(root, join(home, 'link'))
    expect(await openWorkspace(join(home, 'link'))).toMatchObject({ ok: true, value: { root } })
  })

  test('a root that was replaced by another directory is missing', async () => {
    renameSync(root, join(home, 'moved'))
    mkdirSync(join(root, 'src'), { recursive: true })
    writeFileSync(join(root, 'src/a.ts'), 'an impostor')
    expect(await workspace.read('src/a.ts')).toMatchObject({ ok: false, refusal: { code: 'project_missing' } })
    rmSync(root, { recursive: true })
    renameSync(join(home, 'moved'), root)
    expect((await workspace.read('src/a.ts')).ok).toBe(true)
  })

  test('a root that was replaced by a link is missing', async () => {
    renameSync(root, join(home, 'moved'))
    symlinkSync(join(home, 'moved'), root)
    expect(await workspace.list('.')).toMatchObject({ ok: false, refusal: { code: 'project_missing' } })
  })
})

describe('reading', () => {
  test('gives the bytes with their digest and mode', async () => {
    const digest = execFileSync('sha256sum', [join(root, 'src/a.ts')], { encoding: 'utf8' }).slice(0, 64)
    const read = await workspace.read('./src/a.ts')
    expect(read).toMatchObject({ ok: true, value: { path: 'src/a.ts', digest, mode: 0o640 } })
    expect(read.ok && Buffer.from(read.value.bytes).toString()).toBe('const a = 1\n')
  })

  test('an empty file has no bytes', async () => {
    writeFileSync(join(root, 'empty'), '')
    expect(await workspace.read('empty')).toMatchObject({ ok: true, value: { bytes: Buffer.alloc(0) } })
  })

  test('takes the absolute path of a file inside, and refuses that of a neighbour with the same beginning', async () => {
    expect((await workspace.read(join(root, 'src/a.ts'))).ok).toBe(true)
    expect(await workspace.read(join(home, 'app2/secret.txt'))).toMatchObject({
      ok: false,
      refusal: { code: 'path_outside_project' },
    })
  })

  test.each([
    ['a link to a file inside', 'src/a.ts', 'link', 'link'],
    ['a link to a file outside', '../app2/secret.txt', 'link', 'link'],
    ['a link to nothing', 'nothing', 'link', 'link'],
    ['a directory that is a link', '../app2', 'd', 'd/secret.txt'],
    ['a directory that is a link inside', 'src', 'd', 'd/a.ts'],
    ['a link to a descriptor', '/proc/self/fd/0', 'link', 'link'],
  ])('%s is not followed', async (_name, target, at, path) => {
    symlinkSync(target, join(root, at))
    expect(await workspace.read(path)).toMatchObject({ ok: false, refusal: { code: 'path_is_link' } })
  })

  test('another name of the same inode is a file of the project', async () => {
    linkSync(join(root, 'src/a.ts'), join(root, 'b.ts'))
    expect((await workspace.read('b.ts')).ok).toBe(true)
  })

  test.each([
    ['what is not there', 'src/b.ts', 'path_missing'],
    ['what is below a file', 'src/a.ts/b', 'path_wrong_kind'],
    ['a directory', 'src', 'path_wrong_kind'],
    ['a pipe', 'pipe', 'path_wrong_kind'],
  ])('%s is refused', async (_name, path, code) => {
    if (path === 'pipe') execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await workspace.read(path)).toMatchObject({ ok: false, refusal: { code } })
  })

  test('a file over the limit is refused without being read, one at the limit is read', async () => {
    writeFileSync(join(root, 'big'), 'x')
    truncateSync(join(root, 'big'), 10 * 1024 ** 3)
    expect(await workspace.read('big')).toMatchObject({ ok: false, refusal: { code: 'file_too_large' } })
    expect((await workspace.read('src/a.ts', 12)).ok).toBe(true)
    expect((await workspace.read('src/a.ts', 11)).ok).toBe(false)
  })

  test.each(['.git/config', '.GIT/config', 'vendor/.git/HEAD', '.git'])('%s is kept to git', async (path) => {
    mkdirSync(join(root, '.git'))
    writeFileSync(join(root, '.git/config'), '[core]')
    expect(await workspace.read(path)).toMatchObject({ ok: false, refusal: { code: 'path_ignored' } })
  })

  test('no descriptor is left open, whatever came of it', async () => {
    symlinkSync('src', join(root, 'd'))
    const before = readdirSync('/proc/self/fd').length
    for (const path of ['src/a.ts', 'src', 'nope/x', 'd/a.ts', 'src/a.ts/x']) {
      await workspace.read(path)
      await workspace.list(path)
      await workspace.admit(path)
    }
    expect(readdirSync('/proc/self/fd').length).toBe(before)
  })
})

describe('listing', () => {
  test('shows a directory in order and counts what it does not show', async () => {
    mkdirSync(join(root, '.git'))
    writeFileSync(join(root, '.gitignore'), '*.log\n/build/\n')
    writeFileSync(join(root, 'x.log'), '')
    mkdirSync(join(root, 'build'))
    symlinkSync('src', join(root, 'link'))
    expect(await workspace.list('.')).toEqual({
      ok: true,
      value: {
        path: '.',
        entries: [
          { path: '.gitignore', type: 'file', bytes: 14 },
          { path: 'link', type: 'link', bytes: null },
          { path: 'src', type: 'directory', bytes: null },
        ],
        skipped: [
          { reason: 'hidden', count: 1 },
          { reason: 'ignored', count: 2 },
        ],
      },
    })
  })

  test('a file is not a directory', async () => {
    expect(await workspace.list('src/a.ts')).toMatchObject({ ok: false, refusal: { code: 'path_wrong_kind' } })
  })
})

describe('control files', () => {
  test('are known by any spelling of their path, also before they exist', () => {
    expect(workspace.isControlFile(join(root, 'src/../AGENTS.md'))).toBe(true)
    expect(workspace.isControlFile('src/a.ts')).toBe(false)
  })
})
