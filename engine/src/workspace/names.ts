/** Names with a meaning: what is hidden, what steers other tools, and why spelling does not help around it. */
import { splitPath } from './path.ts'

/** Begins the name of every file that a write has not finished; `.gitignore` need not know it. */
export const stagingPrefix = '.bridlewise-'

/** Directories whose whole content steers git, editors, agents or continuous integration. */
const controlDirectories = new Set([
  '.git',
  '.vscode',
  '.idea',
  '.cursor',
  '.claude',
  '.gemini',
  '.codex',
  '.windsurf',
  '.continue',
  '.roo',
  '.cline',
  '.zed',
  '.devcontainer',
  '.husky',
  '.circleci',
  '.gitlab',
  '.buildkite',
  '.bridlewise',
])

/** Directories below `.github` that run something; issue templates and the like do not. */
const controlPaths = ['.github/workflows/', '.github/actions/', '.github/copilot-instructions.md']

const controlFiles = new Set([
  '.mcp.json',
  'mcp.json',
  'agents.md',
  'claude.md',
  'gemini.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
  '.envrc',
  '.npmrc',
  '.pnpmfile.cjs',
  '.yarnrc',
  '.yarnrc.yml',
  '.ripgreprc',
  '.gitmodules',
  '.gitattributes',
  '.gitconfig',
  '.bashrc',
  '.profile',
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.gitlab-ci.yml',
  '.travis.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  'jenkinsfile',
  'bridlewise.json',
])

/** Whether a normal path names a file that steers tools, at the root or in any directory below it. */
export function isControlName(path: string): boolean {
  const parts = splitPath(path).map(foldName)
  const name = parts.at(-1) ?? ''
  if (parts.some((part) => controlDirectories.has(part))) return true
  if (controlFiles.has(name) || name.endsWith('.code-workspace')) return true
  const folded = `${parts.join('/')}/`
  return controlPaths.some((control) => folded.startsWith(control) || folded.includes(`/${control}`) || folded === `${control}/`)
}

/** Whether a normal path lies in what no tool is shown: git's own files, and unfinished writes. */
export function isHiddenPath(path: string): boolean {
  return splitPath(path).some(isHiddenName)
}

export function isHiddenName(name: string): boolean {
  return name.startsWith(stagingPrefix) || gitNames.has(foldName(name))
}

/** With the short name that Windows file systems give it. */
const gitNames = new Set(['.git', 'git~1'])

/**
 * Fold a name the way the most forgiving file system would, so that `.GIT`, `.git.` and `.gi<U+200C>t` get the
 * decision of `.git`. Only for comparing: files are opened by the name as written.
 */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replaceAll('ı', 'i')
    .normalize('NFKC')
    .replace(/[. ]+$/, '')
}
