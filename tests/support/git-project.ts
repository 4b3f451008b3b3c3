/** A real git repository with a small TypeScript package, one of whose tests fails for a real reason. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The line that is wrong, and what makes the test pass. */
export const bug = { old: 'return Math.round(part / whole) * 100', new: 'return Math.round((part / whole) * 100)' }

const files: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'shares', version: '1.0.0', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'README.md': '# shares\n\nPercentages of a whole.\n',
  '.gitignore': 'node_modules/\n',
  'src/percent.ts': `/** How much of the whole a part is, in whole percent. */\nexport function percent(part: number, whole: number): number {\n  ${bug.old}\n}\n`,
  'test/percent.test.ts': [
    "import assert from 'node:assert/strict'",
    "import { test } from 'node:test'",
    "import { percent } from '../src/percent.ts'",
    '',
    "test('a half is fifty percent', () => {",
    '  assert.equal(percent(1, 2), 50)',
    '})',
    '',
    "test('all of it is a hundred percent', () => {",
    '  assert.equal(percent(7, 7), 100)',
    '})',
    '',
  ].join('\n'),
}

export interface GitProject extends Disposable {
  readonly path: string
  read(file: string): string
  git(...args: string[]): string
}

export function makeGitProject(): GitProject {
  const directory = mkdtempSync(path.join(tmpdir(), 'bridlewise-project-'))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Journey', '-c', 'user.email=journey@example.test', ...args], {
      cwd: directory,
      encoding: 'utf8',
    })
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
    writeFileSync(path.join(directory, file), text)
  }
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'shares: the package')
  return {
    path: directory,
    read: (file) => readFileSync(path.join(directory, file), 'utf8'),
    git,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
