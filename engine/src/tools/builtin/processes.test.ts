import { execFileSync, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Receipt } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import type { ProcessOutcome, ProcessPort } from '../../kernel/index.ts'
import { createTestProject, type TestProjectFacts } from '../test-project.ts'

const receipt: Receipt = {
  guardian: 'none',
  abi: 0,
  layers: [],
  notCovered: ['a test'],
  access: 'write',
  network: 'open',
  policy: '',
}

/** Real processes, unconfined: these tests are about what the tools ask for and make of the answer. */
const localProcesses: ProcessPort = {
  run: (spec, signal) =>
    new Promise<ProcessOutcome>((resolve) => {
      const [program = '', ...args] = spec.argv
      const child = spawn(program, args, { cwd: spec.cwd, signal, stdio: ['ignore', 'pipe', 'pipe'], env: gitEnvironment })
      let output = ''
      let stdout = ''
      child.stdout.on('data', (piece: Buffer) => {
        stdout += piece
        output += piece
        spec.onOutput?.('stdout', String(piece))
      })
      child.stderr.on('data', (piece: Buffer) => {
        output += piece
        spec.onOutput?.('stderr', String(piece))
      })
      child.on('error', () => {})
      child.on('close', (exitCode, name) =>
        resolve({ kind: 'exited', exitCode, signal: name, output, stdout, bytes: output.length, cut: null, ms: 0, receipt }),
      )
    }),
}

const gitEnvironment = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LANG: 'C.UTF-8' }

async function createRepository(facts: TestProjectFacts = {}) {
  const project = await createTestProject({ process: localProcesses, ...facts })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, env: gitEnvironment, stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch=main')
  const commit = () => {
    git('add', '--all')
    git('-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', 'commit', '--quiet', '--message=First')
  }
  const write = (path: string, text: string) => writeFile(join(project.root, path), text)
  return { ...project, git, commit, write, [Symbol.asyncDispose]: project[Symbol.asyncDispose] }
}

describe('execute_command', () => {
  it.each([
    ['echo out; echo err >&2; exit 3', 'exit 3', 'exit 3\nout\nerr'],
    ['true', 'exit 0', 'exit 0\n(no output)'],
    ['pwd', 'exit 0', /^exit 0\n\/.*tools-/],
    ['kill -9 $$', 'ended by SIGKILL', 'ended by SIGKILL\n(no output)'],
  ])('%s', async (command, summary, text) => {
    await using project = await createTestProject({ process: localProcesses })
    const result = await project.call('execute_command', { command })
    expect(result).toMatchObject({ status: 'done', summary, details: { kind: 'terminal', command, cwd: project.root, receipt } })
    expect(result.text).toMatch(text)
  })

  it('keeps the ends of a long output', async () => {
    await using project = await createTestProject({ process: localProcesses })
    const { text, spill, details } = await project.call('execute_command', { command: 'seq 1 100000' })
    expect(text).toMatch(/^exit 0\n1\n2\n/)
    expect(text).toMatch(/\n100000\n\[To see the rest, .*\]$/)
    expect(spill).not.toBeNull()
    expect(Buffer.byteLength(details.kind === 'terminal' ? details.output : '')).toBeLessThan(66 * 1024)
  })
})

describe('git_status', () => {
  it('tells branch and changes, and hides what is hidden from the model', async () => {
    await using repository = await createRepository({ files: { 'a.txt': 'a\n', 'b c.txt': 'b\n', 'gone.txt': 'x\n' } })
    repository.commit()
    await repository.write('a.txt', 'changed\n')
    await repository.write('né w.txt', 'new\n')
    repository.git('rm', '--quiet', 'gone.txt')
    const { text, details } = await repository.call('git_status', {})
    expect(text).toBe(
      'On main.\ndeleted (staged) gone.txt\nmodified a.txt\nuntracked né w.txt'.replace(/\n(.*)\n(.*)\n/, '\n$2\n$1\n'),
    )
    expect(details).toMatchObject({ kind: 'status', branch: 'main', clean: false })
  })

  it('tells a clean tree, also before the first commit', async () => {
    await using repository = await createRepository()
    expect(await repository.call('git_status', {})).toMatchObject({
      summary: 'clean',
      details: { kind: 'status', branch: 'main', entries: [], clean: true },
    })
  })

  it('is a typed refusal outside a repository', async () => {
    await using project = await createTestProject({ process: localProcesses })
    expect((await project.call('git_status', {})).refusal).toMatchObject({ code: 'git_failed', details: { exitCode: 128 } })
  })

  it('does not run the monitor or the differ a project configures, as plain git would', async () => {
    await using repository = await createRepository({ files: { 'a.txt': 'a\n' } })
    repository.commit()
    repository.git('config', 'core.fsmonitor', 'touch planted; false')
    repository.git('config', 'diff.external', 'touch planted')
    await repository.write('a.txt', 'b\n')
    await repository.call('git_status', {})
    await repository.call('git_diff', {})
    expect((await repository.call('find_files', { pattern: 'planted' })).summary).toBe('0 files')
    repository.git('status')
    expect((await repository.call('find_files', { pattern: 'planted' })).summary).toBe('1 file')
  })
})

describe('git_diff', () => {
  it('gives changes as a structured diff', async () => {
    await using repository = await createRepository({ files: { 'a.txt': 'one\ntwo\n', 'gone.txt': 'x\n' } })
    repository.commit()
    await repository.write('a.txt', 'one\n2\nthree\n')
    repository.git('rm', '--quiet', '--cached', 'gone.txt')
    const unstaged = await repository.call('git_diff', {})
    expect(unstaged).toMatchObject({ status: 'done', summary: '+2 −1 in 1 file' })
    expect(unstaged.details).toMatchObject({
      kind: 'diff',
      files: [{ path: 'a.txt', change: 'modified', added: 2, removed: 1, hunks: [{ lines: expect.any(Array) }] }],
    })
    const staged = await repository.call('git_diff', { staged: true })
    expect(staged.details).toMatchObject({ files: [{ path: 'gone.txt', change: 'deleted', removed: 1 }] })
  })

  it('takes a path as a path, whatever it looks like', async () => {
    await using repository = await createRepository({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } })
    repository.commit()
    await repository.write('a.txt', 'A\n')
    await repository.write('b.txt', 'B\n')
    expect((await repository.call('git_diff', { path: 'b.txt' })).details).toMatchObject({ files: [{ path: 'b.txt' }] })
    for (const path of ['--output=planted', ':!a.txt', '*.txt']) {
      expect((await repository.call('git_diff', { path })).summary).toBe('no difference')
    }
  })

  it('does not show a file that is hidden from the model', async () => {
    await using repository = await createRepository({ files: { 'key.env': 'secret\n', 'a.txt': 'a\n' } })
    repository.commit()
    await repository.write('.gitignore', '*.env\n')
    await repository.write('key.env', 'other secret\n')
    const { text } = await repository.call('git_diff', {})
    expect(text).not.toContain('secret')
    expect(text).toContain('[1 file not shown]')
  })
})

describe('git_log', () => {
  it('gives the newest commits', async () => {
    await using repository = await createRepository({ files: { 'a.txt': 'a\n' } })
    repository.commit()
    expect(await repository.call('git_log', {})).toMatchObject({
      status: 'done',
      summary: '1 commit',
      text: expect.stringMatching(/ Test: First$/),
    })
  })
})
