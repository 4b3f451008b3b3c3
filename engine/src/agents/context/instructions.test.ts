import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openWorkspace } from '../../workspace/index.ts'
import { readInstructions, readNested, tellInstructions } from './instructions.ts'

async function openProject(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), 'instructions-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const workspace = await openWorkspace(root)
  if (!workspace.ok) throw new Error(workspace.refusal.message)
  return { root, workspace: workspace.value }
}

const pathsOf = (found: readonly { readonly path: string }[]) => found.map(({ path }) => path)
const none = { ownInstructions: null, projectInstructions: 'read' } as const

it.each([
  ['AGENTS.md counts before CLAUDE.md', { 'AGENTS.md': 'Tabs.', 'CLAUDE.md': 'Spaces.' }, ['AGENTS.md']],
  ['CLAUDE.md counts where there is no other', { 'CLAUDE.md': 'Spaces.' }, ['CLAUDE.md']],
  ['CLAUDE.md counts where the other is empty', { 'AGENTS.md': ' \n', 'CLAUDE.md': 'Spaces.' }, ['CLAUDE.md']],
  ['a file of a directory below is not read from the start', { 'lib/AGENTS.md': 'Tabs.' }, []],
])('%s', async (_case, files, expected) => {
  const { workspace } = await openProject(files)
  expect(pathsOf(await readInstructions(none, workspace))).toEqual(expected)
})

it("the person's own come before the project's, which can be left out", async () => {
  const { workspace } = await openProject({ 'AGENTS.md': 'Tabs.' })
  const ownInstructions = { path: 'own/AGENTS.md', text: 'Be brief.' }
  const both = await readInstructions({ ownInstructions, projectInstructions: 'read' }, workspace)
  expect(both.map(({ scope }) => scope)).toEqual(['user', 'project'])
  const own = await readInstructions({ ownInstructions, projectInstructions: 'left_out' }, workspace)
  expect(own.map(({ scope }) => scope)).toEqual(['user'])
})

it('a touched directory tells its own and those above it, the nearest first, each once', async () => {
  const { workspace } = await openProject({
    'AGENTS.md': 'Of the root.',
    'lib/AGENTS.md': 'Of lib.',
    'lib/deep/CLAUDE.md': 'Of deep.',
    'other/AGENTS.md': 'Of other.',
  })
  const visited = new Set<string>()
  const found = await readNested(workspace, { paths: ['lib/deep/file.ts'], visited, known: [] })
  expect(pathsOf(found)).toEqual(['lib/deep/CLAUDE.md', 'lib/AGENTS.md'])
  expect(found.map(({ scope }) => scope)).toEqual(['nested', 'nested'])
  expect(tellInstructions(found)).toContain("counts before the project's.")
  expect(await readNested(workspace, { paths: ['lib/deep/more.ts'], visited, known: found })).toEqual([])
})

it('a path that leads out of the project, by dots or by a link, gives nothing', async () => {
  const outside = await openProject({ 'AGENTS.md': 'Of another project.' })
  const { root, workspace } = await openProject({ 'lib/AGENTS.md': 'Of lib.' })
  await symlink(outside.root, join(root, 'linked'))
  const paths = ['../file.ts', join(outside.root, 'file.ts'), 'linked/file.ts', 'lib/file.ts']
  expect(pathsOf(await readNested(workspace, { paths, visited: new Set(), known: [] }))).toEqual(['lib/AGENTS.md'])
})

it('one file says so much, and all nested ones of a turn together', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `part-${at}`)
  const long = `${'word '.repeat(15)}\n`.repeat(1_000)
  const { workspace } = await openProject(Object.fromEntries(names.map((name) => [`${name}/AGENTS.md`, long])))
  const request = { paths: names.map((name) => `${name}/file.ts`), visited: new Set<string>(), known: [] }
  const found = await readNested(workspace, request)
  expect(found.length).toBeLessThan(names.length)
  for (const { cut, text, path } of found) {
    expect(cut).not.toBe(null)
    expect(text).toContain(`left out; read_file ${path} has them`)
    expect(Buffer.byteLength(text)).toBeLessThan(17 * 1024)
  }
  expect(await readNested(workspace, { paths: ['part-7/file.ts'], visited: request.visited, known: found })).toEqual([])
})
