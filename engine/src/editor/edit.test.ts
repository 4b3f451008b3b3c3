/** Edits on real files: exact, all or nothing, and byte for byte the same where nothing was asked. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { admitHarness, type Grants, nothingKept } from '../kernel/index.ts'
import { openWorkspace, type Workspace } from '../workspace/index.ts'
import { applyEdits, createReadLog, createVersionLog, type Edit, type EditContext } from './index.ts'

let root: string
let context: EditContext

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'editor-'))
  const workspace = await openWorkspace(root)
  if (!workspace.ok) throw new Error(workspace.refusal.message)
  const versions = createVersionLog(nothingKept)
  context = { workspace: workspace.value, readLog: createReadLog(), versions, grants: admitHarness() }
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (path: string, content: string | Uint8Array) => writeFileSync(join(root, path), content)
const bytesOf = (path: string) => readFileSync(join(root, path))
const textOf = (path: string) => bytesOf(path).toString('utf8')

async function read(...paths: string[]): Promise<void> {
  for (const path of paths) {
    const content = await context.workspace.read(path)
    if (content.ok) context.readLog.record(content.value.path, content.value.digest)
  }
}

/** Plant a file and let the run read it. */
async function plant(path: string, content: string | Uint8Array): Promise<void> {
  write(path, content)
  await read(path)
}

const replace = (path: string, oldText: string, newText: string, occurrences?: number | 'every'): Edit => ({
  kind: 'replace',
  path,
  oldText,
  newText,
  ...(occurrences === undefined ? {} : { occurrences }),
})
const create = (path: string, text: string): Edit => ({ kind: 'create', path, text })
const edit = (...edits: Edit[]) => applyEdits(context, edits)
const refusal = (code: string, details: Record<string, unknown> = {}) => ({
  ok: false,
  refusal: { code, details: expect.objectContaining(details) },
})

describe('replacing', () => {
  test('changes the one place and gives the difference with the digests', async () => {
    await plant('a.ts', 'one\ntwo\nthree\n')
    const before = context.readLog.digestOf('a.ts')
    expect(await edit(replace('a.ts', 'two', 'TWO'))).toMatchObject({
      ok: true,
      value: { files: [{ path: 'a.ts', before, diff: { change: 'modified', added: 1, removed: 1 } }] },
    })
    expect(textOf('a.ts')).toBe('one\nTWO\nthree\n')
  })

  test('several edits of one file see the result of those before', async () => {
    await plant('a.ts', 'a\nb\n')
    expect((await edit(replace('a.ts', 'a\n', 'x\ny\n'), replace('a.ts', 'y\nb', 'z'))).ok).toBe(true)
    expect(textOf('a.ts')).toBe('x\nz\n')
  })

  test.each([
    ['CRLF stays CRLF, though the model writes LF', 'x\r\ny\r\n', 'x\ny', 'x\nnew\ny', 'x\r\nnew\r\ny\r\n'],
    ['LF stays LF, though the model writes CRLF', 'x\ny\n', 'x\r\ny', 'x\r\nnew\r\ny', 'x\nnew\ny\n'],
    ['mixed ends stay as they are, one by one', 'a\r\nb\nc\r\nd\n', 'b\nc\nd', 'B\nC\nD', 'a\r\nB\nC\r\nD\n'],
    ['a line that comes in gets the end of its neighbour', 'a\nb\r\nc\n', 'b\nc', 'b\nnew\nc', 'a\nb\r\nnew\r\nc\n'],
    ['a missing final line end stays missing', 'a\nb', 'b', 'c', 'a\nc'],
    ['a lone carriage return is a character', 'a\rb\nc', 'a\rb', 'x', 'x\nc'],
    ['letters beyond ASCII are found and kept', 'größe = "ä"\n// 日本\n', '"ä"', '"ö 😀"', 'größe = "ö 😀"\n// 日本\n'],
    ['what looks like a pattern is a text', 'a.b*(c)\n$1 $&\n', 'a.b*(c)', '$& $1', '$& $1\n$1 $&\n'],
  ])('%s', async (_name, before, oldText, newText, after) => {
    await plant('a.txt', before)
    expect(await edit(replace('a.txt', oldText, newText))).toMatchObject({ ok: true })
    expect(textOf('a.txt')).toBe(after)
  })

  test('a byte order mark is hidden from the match and stays in the file', async () => {
    await plant('a.ts', '\ufeffconst v = 1\n')
    expect(await edit(replace('a.ts', '\ufeffconst v', '\ufefflet v'))).toMatchObject({ ok: true })
    expect(bytesOf('a.ts')).toEqual(Buffer.from('\ufefflet v = 1\n'))
  })

  test('mode bits stay, and another hard link of the file keeps the old content', async () => {
    await plant('run.sh', 'echo a\n')
    chmodSync(join(root, 'run.sh'), 0o4755)
    linkSync(join(root, 'run.sh'), join(root, 'other.sh'))
    await edit(replace('run.sh', 'a', 'b'))
    expect(statSync(join(root, 'run.sh')).mode & 0o7777).toBe(0o4755)
    expect([textOf('run.sh'), textOf('other.sh')]).toEqual(['echo b\n', 'echo a\n'])
  })

  test('leaves nothing beside the file, and no descriptor open', async () => {
    await plant('a.ts', 'a')
    const before = readdirSync('/proc/self/fd').length
    await edit(replace('a.ts', 'a', 'b'), create('b.ts', ''))
    await edit(replace('a.ts', 'nope', 'b'))
    await edit(create('a.ts', ''))
    expect(readdirSync(root)).toEqual(['a.ts', 'b.ts'])
    expect(readdirSync('/proc/self/fd').length).toBe(before)
  })
})

describe('what does not match is not applied', () => {
  test('a miss comes with the nearest region as advice', async () => {
    const text = 'function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n'
    await plant('a.ts', text)
    const missed = await edit(replace('a.ts', 'function two() {\n  return 3\n}', 'gone'))
    expect(missed).toMatchObject(refusal('edit_no_match', { advice: expect.stringContaining('lines 5–7') }))
    expect(missed).toMatchObject(refusal('edit_no_match', { advice: expect.stringContaining('6:   return 2') }))
    expect(textOf('a.ts')).toBe(text)
  })

  test('a difference in white space alone is told as such', async () => {
    await plant('a.ts', 'if (x) {\n\treturn 1\n}\n')
    expect(await edit(replace('a.ts', 'if (x) {\n  return 1\n}', ''))).toMatchObject(
      refusal('edit_no_match', { advice: expect.stringContaining('only in white space') }),
    )
  })

  test('a placeholder in the old text is told as such', async () => {
    await plant('a.env', 'KEY=value\n')
    expect(await edit(replace('a.env', 'KEY=[REDACTED:named_secret:0123abcd]', 'KEY='))).toMatchObject(
      refusal('edit_no_match', { advice: expect.stringContaining('redaction placeholder') }),
    )
  })

  test('several matches are refused with their number and lines', async () => {
    await plant('a.ts', 'x\nsame\ny\nsame\nsame\n')
    expect(await edit(replace('a.ts', 'same', 'other'))).toMatchObject(refusal('edit_ambiguous', { count: 3, lines: '2, 4, 5' }))
    expect(textOf('a.ts')).toBe('x\nsame\ny\nsame\nsame\n')
  })

  test('a text that overlaps itself is ambiguous', async () => {
    await plant('a.txt', 'ababa')
    expect(await edit(replace('a.txt', 'aba', 'x'))).toMatchObject(refusal('edit_ambiguous', { count: 2 }))
  })

  test('every match is replaced once when that is asked for, also by a text that contains the old one', async () => {
    await plant('a.txt', 'a b a b a')
    expect((await edit(replace('a.txt', 'a', 'aa', 'every'))).ok).toBe(true)
    expect(textOf('a.txt')).toBe('aa b aa b aa')
  })

  test('a number of matches that was expected must be the one there is', async () => {
    await plant('a.txt', 'a a a')
    expect(await edit(replace('a.txt', 'a', 'b', 2))).toMatchObject(refusal('edit_count_differs', { count: 3, expected: 2 }))
    expect((await edit(replace('a.txt', 'a', 'b', 3))).ok).toBe(true)
  })

  test.each([
    ['an empty old text on a file', replace('a.txt', '', 'x'), 'edit_old_empty'],
    ['no change at all', replace('a.txt', 'ten', 'ten'), 'edit_no_change'],
    ['no change but the line ends', replace('a.txt', 'ten\nlines', 'ten\r\nlines'), 'edit_no_change'],
    ['half a character', replace('a.txt', 'ten', '\ud800'), 'edit_text_malformed'],
    ['a placeholder in the new text', replace('a.txt', 'ten', '[REDACTED:jwt:0123abcd]'), 'placeholder_in_edit'],
    ['a path outside', replace('../a.txt', 'ten', 'x'), 'path_outside_project'],
    ['a file of git', replace('.git/config', 'a', 'b'), 'path_ignored'],
    ['a file that is not there', replace('b.txt', 'ten', 'x'), 'path_missing'],
  ])('%s is refused', async (_name, request, code) => {
    await plant('a.txt', 'ten\nlines\n')
    expect(await edit(request)).toMatchObject({ ok: false, refusal: { code } })
    expect(textOf('a.txt')).toBe('ten\nlines\n')
  })

  test('a change that takes itself back is no change', async () => {
    await plant('a.txt', 'a')
    expect(await edit(replace('a.txt', 'a', 'b'), replace('a.txt', 'b', 'a'))).toMatchObject(refusal('edit_no_change'))
  })

  test('a placeholder that really stands in the file is text like any other', async () => {
    await plant('a.md', 'See [REDACTED:jwt:0123abcd] above.\n')
    expect((await edit(replace('a.md', 'See [REDACTED:jwt:0123abcd]', 'Look at [REDACTED:jwt:0123abcd]'))).ok).toBe(true)
    expect(textOf('a.md')).toBe('Look at [REDACTED:jwt:0123abcd] above.\n')
  })

  test('more edits than anybody reads are refused', async () => {
    const many = Array.from({ length: 101 }, (_, i) => create(`f${i}`, ''))
    expect(await edit(...many)).toMatchObject(refusal('edit_too_many', { limit: 100, count: 101 }))
    expect(readdirSync(root)).toEqual([])
  })
})

describe('files that are not UTF-8', () => {
  const cp1252 = Buffer.from([0x61, 0x0a, 0x99, 0x0a])

  test('are spliced as bytes where the text is found', async () => {
    await plant('a.txt', cp1252)
    expect((await edit(replace('a.txt', 'a', 'b'))).ok).toBe(true)
    expect(bytesOf('a.txt')).toEqual(Buffer.from([0x62, 0x0a, 0x99, 0x0a]))
  })

  test.each([
    ['an old text beyond ASCII that is not found', replace('a.txt', '\u2122', 'TM')],
    ['a new text beyond ASCII', replace('a.txt', 'a', '\u00e9')],
  ])('%s is refused, for nobody knows its bytes', async (_name, request) => {
    await plant('a.txt', cp1252)
    expect(await edit(request)).toMatchObject(refusal('encoding_unsupported'))
    expect(bytesOf('a.txt')).toEqual(cp1252)
  })

  test('binary files and UTF-16 are left alone', async () => {
    for (const content of [Buffer.from('a\0b'), Buffer.from('\ufeffab', 'utf16le')]) {
      await plant('a.bin', content)
      expect(await edit(replace('a.bin', 'a', 'x'))).toMatchObject(refusal('file_binary'))
    }
  })

  test('bytes that no edit touches are the same afterwards, whatever they are', async () => {
    const byte = fc.integer({ min: 1, max: 255 })
    const around = fc.uint8Array({ maxLength: 60 }).map((bytes) => bytes.map((each) => each || 1))
    await fc.assert(
      fc.asyncProperty(around, around, byte, async (head, tail, seam) => {
        const content = Buffer.concat([
          head,
          Buffer.from('<<here>>'),
          [seam].length ? Buffer.from([seam]) : Buffer.alloc(0),
          tail,
        ])
        await plant('p.bin', content)
        expect(await edit(replace('p.bin', '<<here>>', '<<there>>'))).toMatchObject({ ok: true })
        expect(bytesOf('p.bin')).toEqual(Buffer.concat([head, Buffer.from('<<there>>'), Buffer.from([seam]), tail]))
      }),
      { numRuns: 100 },
    )
  })

  test('line ends of untouched lines are the same afterwards, however they are mixed', async () => {
    const line = fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), fc.constantFrom('\n', '\r\n'))
    const lines = fc.array(line, { minLength: 1, maxLength: 8 })
    const join = (all: readonly (readonly [string, string])[]) => all.map(([text, end]) => text + end).join('')
    await fc.assert(
      fc.asyncProperty(lines, lines, lines, async (head, middle, tail) => {
        const marked = middle.map(([text, end]) => [`=${text}`, end] as const)
        await plant('m.txt', join(head) + join(marked) + join(tail))
        const oldText = marked.map(([text]) => `${text}\n`).join('')
        expect(await edit(replace('m.txt', oldText, oldText.replaceAll('=', '+')))).toMatchObject({ ok: true })
        expect(textOf('m.txt')).toBe(join(head) + join(marked).replaceAll('=', '+') + join(tail))
      }),
      { numRuns: 100 },
    )
  })
})

describe('creating', () => {
  test('makes the file and the directories it needs', async () => {
    expect(await edit(create('src/deep/new.ts', 'export {}\n'))).toMatchObject({
      ok: true,
      value: { files: [{ path: 'src/deep/new.ts', before: null, diff: { change: 'created', added: 1, removed: 0 } }] },
    })
    expect(textOf('src/deep/new.ts')).toBe('export {}\n')
  })

  test('by an empty old text works where nothing stands', async () => {
    expect((await edit(replace('new.ts', '', 'x\n'))).ok).toBe(true)
    expect(textOf('new.ts')).toBe('x\n')
  })

  test('what was created can be edited in the same call and afterwards', async () => {
    expect((await edit(create('n.ts', 'a'), replace('n.ts', 'a', 'b'))).ok).toBe(true)
    expect((await edit(replace('n.ts', 'b', 'c'))).ok).toBe(true)
    expect(textOf('n.ts')).toBe('c')
  })

  test.each([
    ['a file', 'file_exists', () => write('x', 'here')],
    ['a directory', 'path_wrong_kind', () => mkdirSync(join(root, 'x'))],
    ['a link to nothing', 'path_is_link', () => symlinkSync('nowhere', join(root, 'x'))],
    ['a pipe', 'path_wrong_kind', () => execFileSync('mkfifo', [join(root, 'x')])],
  ])('never replaces %s', async (_name, code, stand) => {
    stand()
    const before = lstatSync(join(root, 'x')).ino
    expect(await edit(create('x', 'new'))).toMatchObject(refusal(code))
    expect(lstatSync(join(root, 'x')).ino).toBe(before)
  })

  test('never goes through a link on the way', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'))
    symlinkSync(outside, join(root, 'd'))
    expect(await edit(create('d/x.ts', 'new'))).toMatchObject(refusal('path_is_link'))
    expect(await edit(create('d/e/x.ts', 'new'))).toMatchObject(refusal('path_is_link'))
    expect(readdirSync(outside)).toEqual([])
    rmSync(outside, { recursive: true })
  })

  test('twice in one call is once too often', async () => {
    expect(await edit(create('a', '1'), create('./a', '2'))).toMatchObject(refusal('file_exists'))
    expect(existsSync(join(root, 'a'))).toBe(false)
  })
})

describe('what the run has seen', () => {
  test('a file that was not read is not changed', async () => {
    write('a.ts', 'a')
    expect(await edit(replace('a.ts', 'a', 'b'))).toMatchObject(refusal('file_unread'))
  })

  test('a file that somebody changed since is stale until it is read again', async () => {
    await plant('a.ts', 'a\n')
    write('a.ts', 'a\nappended by somebody\n')
    expect(await edit(replace('a.ts', 'a', 'b'))).toMatchObject(refusal('stale_file'))
    expect(textOf('a.ts')).toBe('a\nappended by somebody\n')
    await read('a.ts')
    expect((await edit(replace('a.ts', 'a\n', 'b\n'))).ok).toBe(true)
  })

  test('the own writes of the run count as seen', async () => {
    await plant('a.ts', 'a')
    expect((await edit(replace('a.ts', 'a', 'b'))).ok).toBe(true)
    expect((await edit(replace('a.ts', 'b', 'c'))).ok).toBe(true)
  })

  test('a refused edit changes nothing of it', async () => {
    await plant('a.ts', 'a')
    const seen = context.readLog.digestOf('a.ts')
    await edit(replace('a.ts', 'a', 'b'), replace('a.ts', 'nope', 'x'))
    expect(context.readLog.digestOf('a.ts')).toBe(seen)
  })
})

describe('several files are one transaction', () => {
  /** The real workspace, in which something happens to a file once it is staged: somebody else is at work. */
  function meddle(path: string, act: () => void): Workspace {
    const { workspace } = context
    return {
      root,
      resolve: (asked) => workspace.resolve(asked),
      read: (asked, limit) => workspace.read(asked, limit),
      list: (asked) => workspace.list(asked),
      walk: (request, signal) => workspace.walk(request, signal),
      writable: workspace.writable,
      admit: (asked) => workspace.admit(asked),
      isControlFile: (asked) => workspace.isControlFile(asked),
      clearStaged: (grant, left) => workspace.clearStaged(grant, left),
      stage: async (grant, request) => {
        const staged = await workspace.stage(grant, request)
        if (request.path === path) act()
        return staged
      },
    }
  }

  test('a refusal of the last leaves the others untouched', async () => {
    await plant('a', 'a')
    expect(await edit(replace('a', 'a', 'b'), create('d/n', ''), replace('missing', 'x', 'y'))).toMatchObject(
      refusal('path_missing'),
    )
    expect(textOf('a')).toBe('a')
    expect(readdirSync(root)).toEqual(['a'])
  })

  test('a file that changes at the last moment keeps its change, and those before it come back', async () => {
    await plant('one', '1')
    await plant('three', '3')
    chmodSync(join(root, 'one'), 0o600)
    const inode = statSync(join(root, 'one')).ino
    context = { ...context, workspace: meddle('three', () => write('three', 'theirs')) }
    const refused = await edit(replace('one', '1', 'one'), create('deep/two', '2'), replace('three', '3', 'three'))
    expect(refused).toMatchObject(refusal('stale_file', { path: 'three' }))
    expect([textOf('one'), textOf('three')]).toEqual(['1', 'theirs'])
    expect(statSync(join(root, 'one')).ino).toBe(inode)
    expect(readdirSync(root)).toEqual(['one', 'three'])
  })

  test('a new name that is taken at the last moment stays theirs', async () => {
    await plant('one', '1')
    context = { ...context, workspace: meddle('two', () => write('two', 'theirs')) }
    expect(await edit(replace('one', '1', 'x'), create('two', '2'))).toMatchObject(refusal('file_exists', { path: 'two' }))
    expect([textOf('one'), textOf('two')]).toEqual(['1', 'theirs'])
  })

  test('a file that is replaced by a link at the last moment is not followed', async () => {
    await plant('one', '1')
    const outside = join(tmpdir(), `outside-${process.pid}`)
    writeFileSync(outside, '1')
    const swap = () => {
      rmSync(join(root, 'one'))
      symlinkSync(outside, join(root, 'one'))
    }
    context = { ...context, workspace: meddle('one', swap) }
    expect((await edit(replace('one', '1', 'x'))).ok).toBe(false)
    expect(readFileSync(outside, 'utf8')).toBe('1')
    expect(lstatSync(join(root, 'one')).isSymbolicLink()).toBe(true)
    rmSync(outside)
  })

  test('a directory that is gone at the last moment is a failed write, and the files before it come back', async () => {
    mkdirSync(join(root, 'd'))
    await plant('one', '1')
    await plant('d/two', '2')
    context = { ...context, workspace: meddle('d/two', () => rmSync(join(root, 'd'), { recursive: true })) }
    expect(await edit(replace('one', '1', 'x'), replace('d/two', '2', 'y'))).toMatchObject(
      refusal('write_failed', { path: 'd/two' }),
    )
    expect(textOf('one')).toBe('1')
    expect(readdirSync(root)).toEqual(['one'])
  })

  test('a directory that is replaced by a link at the last moment does not lead the write away', async () => {
    mkdirSync(join(root, 'd'))
    await plant('d/one', '1')
    const outside = mkdtempSync(join(tmpdir(), 'outside-'))
    writeFileSync(join(outside, 'one'), '1')
    const swap = () => {
      execFileSync('mv', [join(root, 'd'), join(root, 'moved')])
      symlinkSync(outside, join(root, 'd'))
    }
    context = { ...context, workspace: meddle('d/one', swap) }
    await edit(replace('d/one', '1', 'x'))
    expect(readFileSync(join(outside, 'one'), 'utf8')).toBe('1')
    expect(readdirSync(outside)).toEqual(['one'])
    rmSync(outside, { recursive: true })
  })
})

describe('authority', () => {
  test('without a genuine grant nothing is planned or written', async () => {
    await plant('a', 'a')
    context = { ...context, grants: { ...context.grants } as Grants }
    expect(await edit(replace('a', 'a', 'b'))).toMatchObject(refusal('capability_denied'))
    expect(textOf('a')).toBe('a')
  })

  test('a run that was stopped before the first write changes nothing', async () => {
    await plant('a', 'a')
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(applyEdits(context, [replace('a', 'a', 'b')], stopped)).rejects.toThrow('stopped')
    expect(textOf('a')).toBe('a')
  })
})
