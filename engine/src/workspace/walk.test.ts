/** Walking and ignoring, compared with git itself. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorkspace, type Walk, type Workspace } from './index.ts'

let root: string
let workspace: Workspace

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'walk-'))
  const opened = await openWorkspace(root)
  if (!opened.ok) throw new Error(opened.refusal.message)
  workspace = opened.value
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function plant(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

async function paths(walk: Walk): Promise<string[]> {
  const found: string[] = []
  for await (const file of walk) found.push(file.path)
  return found
}

test('files come in order, depth first', async () => {
  plant({ 'b/2': '', 'b/1': '', 'a.ts': '', 'c/d/e': '', 'b.ts': '' })
  expect(await paths(workspace.walk({}))).toEqual(['a.ts', 'b/1', 'b/2', 'b.ts', 'c/d/e'])
})

test('what git ignores is skipped, in every nesting, and nothing else', async () => {
  plant({
    '.gitignore': '*.log\n/build\nnode_modules/\n!keep.log\n*.tmp\ndocs/**/draft-*\n',
    'a.log': '',
    'keep.log': '',
    'build/x': '',
    'src/build/y': '',
    'src/.gitignore': '!special.log\n/local\n*.gen.ts\n',
    'src/special.log': '',
    'src/other.log': '',
    'src/local/z': '',
    'src/deep/local/z': '',
    'src/a.gen.ts': '',
    'src/deep/.gitignore': '!b.gen.ts\n',
    'src/deep/b.gen.ts': '',
    'src/deep/c.gen.ts': '',
    'node_modules/pkg/index.js': '',
    'packages/a/node_modules/pkg/index.js': '',
    'node_modules/.gitignore': '!*\n',
    'docs/x/draft-1.md': '',
    'docs/final.md': '',
    'with space/ü.tmp': '',
    'with space/ü.txt': '',
  })
  execFileSync('git', ['init', '-q'], { cwd: root })
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const expected = listed.split('\0').filter((path) => path !== '')
  const walk = workspace.walk({})
  expect((await paths(walk)).sort()).toEqual(expected.sort())
  expect(walk.skipped()).toContainEqual({ reason: 'hidden', count: 1 })
  for (const path of expected) expect(await workspace.admit(path), path).toEqual({ ok: true, value: path })
  for (const path of ['a.log', 'build/x', 'src/other.log', 'src/deep/c.gen.ts', 'node_modules/pkg/index.js', 'node_modules']) {
    expect(await workspace.admit(path), path).toMatchObject({ ok: false, refusal: { code: 'path_ignored' } })
  }
})

test('the rule that hides a path is named', async () => {
  plant({ 'src/.gitignore': '# comment\n*.gen.ts\n', 'src/a.gen.ts': '' })
  const refused = await workspace.admit('src/a.gen.ts')
  expect(!refused.ok && refused.refusal.details?.['rule']).toBe('src/.gitignore: *.gen.ts')
})

test('a list of rules that is a link is not read', async () => {
  plant({ rules: '*\n', 'a.ts': '' })
  symlinkSync('rules', join(root, '.gitignore'))
  expect(await paths(workspace.walk({}))).toEqual(['a.ts', 'rules'])
})

test('links are counted, not followed, so that a loop ends', async () => {
  plant({ 'a/b': '' })
  symlinkSync('..', join(root, 'a/up'))
  const walk = workspace.walk({})
  expect(await paths(walk)).toEqual(['a/b'])
  expect(walk.skipped()).toEqual([{ reason: 'link', count: 1 }])
})

test('a walk can begin below the root and keeps the rules from above', async () => {
  plant({ '.gitignore': '*.log\n', 'src/a.ts': '', 'src/b.log': '', 'c.ts': '' })
  expect(await paths(workspace.walk({ under: 'src' }))).toEqual(['src/a.ts'])
})

test('a walk that cannot begin says why', async () => {
  for (const [under, code] of [
    ['nope', 'path_missing'],
    ['..', 'path_outside_project'],
    ['.git', 'path_ignored'],
  ] as const) {
    const walk = workspace.walk({ under })
    expect(await paths(walk)).toEqual([])
    expect(walk.refusal()).toMatchObject({ code })
  }
})

test('files over the limit are counted', async () => {
  plant({ a: '', b: '', c: '' })
  const walk = workspace.walk({ maxFiles: 2 })
  expect(await paths(walk)).toEqual(['a', 'b'])
  expect(walk.skipped()).toEqual([{ reason: 'limit', count: 1 }])
})

describe('reading on the way', () => {
  test('gives text, and counts what is binary or too large', async () => {
    plant({ 'a.txt': 'text', 'b.bin': 'a\0b', 'c.txt': 'x'.repeat(100) })
    const walk = workspace.walk({})
    const texts: (string | undefined)[] = []
    for await (const file of walk) texts.push(file.readText(50)?.text)
    expect(texts).toEqual(['text', undefined, undefined])
    expect(walk.skipped()).toEqual([
      { reason: 'binary', count: 1 },
      { reason: 'oversized', count: 1 },
    ])
  })
})

test('a walk that is left early holds no descriptor', async () => {
  plant({ 'a/b/c/1': '', 'a/b/c/2': '', 'a/d': '' })
  const before = readdirSync('/proc/self/fd').length
  for await (const file of workspace.walk({})) if (file.path.endsWith('1')) break
  expect(readdirSync('/proc/self/fd').length).toBe(before)
})

test('an abort stops the walk with its reason and closes what it holds', async () => {
  plant({ 'a/1': '', 'a/2': '' })
  const before = readdirSync('/proc/self/fd').length
  const stop = new AbortController()
  const walking = async () => {
    for await (const _file of workspace.walk({}, stop.signal)) stop.abort(new Error('enough'))
  }
  await expect(walking()).rejects.toThrow('enough')
  expect(readdirSync('/proc/self/fd').length).toBe(before)
})

test('a long walk lets others run', async () => {
  plant(Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`f${i}`, ''])))
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await paths(workspace.walk({}))
  clearImmediate(timer)
  expect(turns).toBeGreaterThanOrEqual(2)
})
