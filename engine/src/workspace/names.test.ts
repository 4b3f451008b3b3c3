import { describe, expect, test } from 'vitest'
import { isControlName, isHiddenPath } from './names.ts'

describe('control files', () => {
  test.each([
    '.git/config',
    '.mcp.json',
    '.vscode/settings.json',
    'packages/a/.vscode/tasks.json',
    '.idea/workspace.xml',
    '.cursor/rules/x.mdc',
    '.claude/settings.json',
    '.gemini/settings.json',
    'AGENTS.md',
    'docs/agents.md',
    'app.code-workspace',
    '.envrc',
    '.npmrc',
    '.yarnrc.yml',
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    '.husky/pre-commit',
    '.GIT/config',
    '.Git/hooks/pre-commit',
    '.git\u200c/config',
    '.g\u0131t/config',
    '.git./config',
    '.git /config',
    '.NPMRC',
    '.\uff47\uff49\uff54/config',
    '.vscode',
  ])('%j steers tools', (path) => {
    expect(isControlName(path)).toBe(true)
  })

  test.each([
    'src/git/config.ts',
    '.gitignore',
    '.github/ISSUE_TEMPLATE/bug.md',
    'vscode/settings.json',
    'agents.ts',
    '.npmrc.example',
    '.',
  ])('%j does not', (path) => {
    expect(isControlName(path)).toBe(false)
  })
})

describe('hidden paths', () => {
  test.each([
    '.git',
    '.git/config',
    'vendor/lib/.git/HEAD',
    '.GIT/config',
    '.git\u200b/x',
    'GIT~1/config',
    'src/.bridlewise-1f.new',
  ])('%j is hidden', (path) => {
    expect(isHiddenPath(path)).toBe(true)
  })

  test.each(['.gitignore', '.github/workflows/ci.yml', 'git/config', '.env', '.'])('%j is not', (path) => {
    expect(isHiddenPath(path)).toBe(false)
  })
})
