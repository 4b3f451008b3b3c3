import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTestProject } from '../test-project.ts'

describe('read_file', () => {
  it.each([
    ['numbered lines', 'one\ntwo\n', {}, 'a.txt, lines 1–2 of 2.\n1\tone\n2\ttwo'],
    [
      'a range, and how to read on',
      'a\nb\nc\nd\n',
      { from: 2, lines: 2 },
      'a.txt, lines 2–3 of 4. Read on with from: 4.\n2\tb\n3\tc',
    ],
    ['lines past the end', 'a\n', { from: 9 }, 'a.txt, no line 9 of 1.\n'],
    ['an empty file', '', {}, 'a.txt, no line 1 of 0.\n'],
    ['Windows line ends as lines', 'a\r\nb\r\n', {}, 'a.txt, lines 1–2 of 2.\n1\ta\n2\tb'],
    ['a file without its mark', '\ufeffa\n', {}, 'a.txt, lines 1–1 of 1.\n1\ta'],
  ])('gives %s', async (_case, content, range, text) => {
    await using project = await createTestProject({ files: { 'a.txt': content } })
    expect(await project.call('read_file', { path: 'a.txt', ...range })).toMatchObject({ status: 'done', text })
  })

  it('sums up a range that lies past the end as what is not there', async () => {
    await using project = await createTestProject({ files: { 'a.txt': 'a\n' } })
    expect((await project.call('read_file', { path: 'a.txt', from: 9 })).summary).toBe('no line 9 of 1')
  })

  it('says when bytes do not decode', async () => {
    await using project = await createTestProject({ files: { 'a.txt': Uint8Array.of(0x61, 0x99, 0x0a) } })
    expect((await project.call('read_file', { path: 'a.txt' })).text).toContain('Not valid UTF-8')
  })

  it('cuts long lines and long files with a mark, at whole characters', async () => {
    await using project = await createTestProject({ files: { 'a.txt': `${'é'.repeat(3000)}\n${'x'.repeat(1000)}\n`.repeat(40) } })
    const { text, details } = await project.call('read_file', { path: 'a.txt' })
    expect(text).toMatch(/é \[line cut: 4000 bytes left out\]/)
    expect(text).toMatch(/lines 1–\d+ of 80\. Read on with from: \d+\./)
    expect(Buffer.byteLength(text)).toBeLessThan(21 * 1024)
    expect(details).toMatchObject({ kind: 'file', total: 80 })
  })

  it.each([
    ['a missing file', 'b.txt', 'path_missing'],
    ['a path outside', '../b.txt', 'path_outside_project'],
    ['an absolute path outside', '/etc/passwd', 'path_outside_project'],
    ['an ignored file', 'secret.env', 'path_ignored'],
    ["git's own files", '.git/config', 'path_ignored'],
    ['a binary file', 'image.png', 'file_binary'],
    ['a directory', 'src', 'path_wrong_kind'],
  ])('refuses %s', async (_case, path, code) => {
    const files = { '.gitignore': '*.env\n', 'secret.env': 'x', 'image.png': 'a\0b', 'src/a.ts': 'a', '.git/config': 'x' }
    await using project = await createTestProject({ files })
    const { status, refusal, details } = await project.call('read_file', { path })
    expect({ status, code: refusal?.code }).toEqual({ status: 'refused', code })
    expect(details).toMatchObject({ kind: 'blocker', code })
    expect((await project.call('read_file', { path: 'src/a.ts' })).status).toBe('done')
  })
})

describe('list_files', () => {
  it('lists one directory and counts what it does not show', async () => {
    const files = { 'a.txt': 'abc', 'src/b.ts': 'b', '.gitignore': 'dist\n', 'dist/c.js': 'c', '.git/HEAD': 'x' }
    await using project = await createTestProject({ files })
    const { text, details } = await project.call('list_files', {})
    expect(text).toBe('.gitignore (5 bytes)\na.txt (3 bytes)\nsrc/\n[skipped: 1 hidden, 1 ignored]')
    expect(details).toMatchObject({ kind: 'listing', skipped: [{ reason: 'hidden' }, { reason: 'ignored' }] })
  })
})

describe('find_files', () => {
  it('finds by pattern, in a directory when one is named', async () => {
    await using project = await createTestProject({ files: { 'a.ts': '', 'src/b.ts': '', 'src/c.js': '', 'lib/d.ts': '' } })
    expect((await project.call('find_files', { pattern: '*.ts' })).text).toBe('a.ts\nlib/d.ts\nsrc/b.ts')
    expect((await project.call('find_files', { pattern: '*.ts', path: 'src' })).text).toBe('src/b.ts')
    expect((await project.call('find_files', { pattern: '*.go' })).text).toBe('No file matches.')
  })

  it('shows the first of many and counts the rest', async () => {
    const files = Object.fromEntries(Array.from({ length: 310 }, (_, at) => [`f${at}.txt`, '']))
    await using project = await createTestProject({ files })
    const { summary, text, details } = await project.call('find_files', { pattern: '*' })
    expect(summary).toBe('310 files')
    expect(text).toContain('[skipped: 10 over the limit]')
    expect(details.kind === 'listing' && details.entries).toHaveLength(300)
  })

  it('refuses a directory that is not there', async () => {
    await using project = await createTestProject()
    expect((await project.call('find_files', { pattern: '*', path: 'nowhere' })).refusal?.code).toBe('path_missing')
  })
})

describe('search_text', () => {
  const files = {
    'a.ts': 'const needle = 1\n',
    'src/b.ts': 'x\nNeedle(2)\n',
    'c.md': 'needle',
    'd.bin': 'needle\0',
    '.git/x': 'needle',
  }

  it.each([
    ['literally', { pattern: 'needle' }, ['a.ts:1: const needle = 1', 'c.md:1: needle']],
    ['in any case', { pattern: 'needle', anyCase: true, files: '*.ts' }, ['a.ts:1: const needle = 1', 'src/b.ts:2: Needle(2)']],
    ['by regular expression', { pattern: '^[A-Z].*\\(\\d\\)$', regex: true }, ['src/b.ts:2: Needle(2)']],
    ['in one directory', { pattern: 'eedle', path: 'src' }, ['src/b.ts:2: Needle(2)']],
    ['in vain', { pattern: 'haystack' }, []],
  ])('searches %s', async (_case, input, lines) => {
    await using project = await createTestProject({ files })
    const { status, text, details } = await project.call('search_text', input)
    expect(status).toBe('done')
    expect(text.split('\n').filter((line) => /^[\w./]+:\d/.test(line))).toEqual(lines)
    expect(details).toMatchObject({ kind: 'matches', files: lines.length })
  })

  it('reports binary files as skipped, not as absent', async () => {
    await using project = await createTestProject({ files })
    expect((await project.call('search_text', { pattern: 'needle' })).text).toContain('1 binary')
  })

  it('does not hang on a pattern that would', async () => {
    await using project = await createTestProject({ files: { 'a.txt': `${'a'.repeat(60)}b` } })
    expect((await project.call('search_text', { pattern: '^(a+)+$', regex: true })).refusal?.code).toBe('pattern_too_slow')
  })
})

describe('edit', () => {
  it('changes what was read and tells the difference', async () => {
    await using project = await createTestProject({ files: { 'a.txt': 'one\ntwo\n' } })
    await project.call('read_file', { path: 'a.txt' })
    const edits = [
      { path: 'a.txt', old: 'two', new: 'three' },
      { path: 'new/b.txt', new: 'fresh\n' },
    ]
    const result = await project.call('edit', { edits })
    expect(result).toMatchObject({ status: 'done', summary: '+2 −1 in 2 files' })
    expect(result.effects.map(({ target }) => target)).toEqual(['a.txt', 'new/b.txt'])
    expect(await readFile(join(project.root, 'a.txt'), 'utf8')).toBe('one\nthree\n')
    expect(await readFile(join(project.root, 'new/b.txt'), 'utf8')).toBe('fresh\n')
  })

  it.each([
    ['a file this run has not read', false, { old: 'one', new: 'x' }, 'file_unread'],
    ['text that is not there', true, { old: 'four', new: 'x' }, 'edit_no_match'],
    ['an empty old text', true, { old: '', new: 'x' }, 'edit_old_empty'],
    ['creating what exists', true, { new: 'x' }, 'file_exists'],
  ])('refuses %s and leaves everything as it was', async (_case, read, edit, code) => {
    await using project = await createTestProject({ files: { 'a.txt': 'one\n' } })
    if (read) await project.call('read_file', { path: 'a.txt' })
    const edits = [
      { path: 'other.txt', new: 'y' },
      { path: 'a.txt', ...edit },
    ]
    const { status, refusal, effects } = await project.call('edit', { edits })
    expect({ status, code: refusal?.code, effects }).toEqual({ status: 'refused', code, effects: [] })
    expect(await readFile(join(project.root, 'a.txt'), 'utf8')).toBe('one\n')
    await expect(readFile(join(project.root, 'other.txt'))).rejects.toThrow('ENOENT')
  })

  it('refuses a file that changed since it was read', async () => {
    await using project = await createTestProject({ files: { 'a.txt': 'one\n' } })
    await project.call('read_file', { path: 'a.txt' })
    await writeFile(join(project.root, 'a.txt'), 'one\nmine\n')
    const edit = { edits: [{ path: 'a.txt', old: 'one', new: 'two' }] }
    expect((await project.call('edit', edit)).refusal?.code).toBe('stale_file')
    await project.call('read_file', { path: 'a.txt' })
    expect((await project.call('edit', edit)).status).toBe('done')
  })
})
