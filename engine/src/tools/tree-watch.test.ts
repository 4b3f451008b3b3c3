/** A command's effects on files, found by looking at the tree before and after it. */
import { mkdir, rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createReadLog, createVersionLog } from '../editor/index.ts'
import { type FileVersion, nothingKept, type ProcessOutcome, type VersionsPort } from '../kernel/index.ts'
import { openWorkspace } from '../workspace/index.ts'
import { createTestProject, type TestProject } from './test-project.ts'
import { createTreeWatch } from './tree-watch.ts'

let project: TestProject

afterEach(() => project[Symbol.asyncDispose]())

/** What a command did to a project, as it is told: `M path`, `A path`, `D path`, and what was kept. */
async function observe(
  files: Readonly<Record<string, string | Uint8Array>>,
  act: (at: (path: string) => string) => Promise<unknown>,
) {
  const kept = new Map<string, Uint8Array>()
  const versions: VersionsPort = {
    keep: async ({ digest, bytes }: FileVersion) => {
      const known = kept.has(digest)
      kept.set(digest, bytes)
      return known ? 'known' : 'new'
    },
    drop: async (digest) => void kept.delete(digest),
    begin: nothingKept.begin,
  }
  const run = async (): Promise<ProcessOutcome> => {
    await act((path) => join(project.root, path))
    return ended
  }
  project = await createTestProject({ files, versions, process: { run } })
  // What was there before must be older than the clocks of file systems are coarse.
  await setTimeout(40)
  const { effects } = await project.call('execute_command', { command: 'work' })
  const told = effects.flatMap((effect) =>
    effect.effect === 'file' ? [`${{ created: 'A', modified: 'M', deleted: 'D' }[effect.change]} ${effect.target}`] : [],
  )
  const contents = [...kept.values()].map((bytes) => Buffer.from(bytes).toString('utf8'))
  return { told: told.sort(), contents: contents.sort(), effects }
}

describe('a command', () => {
  it('is told of by every file that it made, changed or took away, and the contents before and after are kept', async () => {
    const { told, contents, effects } = await observe({ a: 'one', b: 'two', c: 'three' }, async (at) => {
      await writeFile(at('a'), 'uno')
      await unlink(at('b'))
      await writeFile(at('d'), 'new')
    })
    expect(told).toEqual(['A d', 'D b', 'M a'])
    expect(contents).toEqual(['new', 'one', 'two', 'uno'])
    expect(effects[0]).toMatchObject({ effect: 'process', watched: { files: 3, complete: true, more: 0 } })
  })

  it('that writes the same again has changed nothing', async () => {
    const { told } = await observe({ a: 'one', b: 'two' }, async (at) => {
      await writeFile(at('a'), 'one')
      await writeFile(at('b'), 'dos')
    })
    expect(told).toEqual(['M b'])
  })

  it('made nothing that came out of hiding, because the rules changed or somebody moved it in', async () => {
    const files = { '.gitignore': 'hidden/\n*.log\n', 'hidden/big': 'theirs', 'trace.log': 'theirs' }
    const { told } = await observe(files, async (at) => {
      await rename(at('hidden/big'), at('big'))
      await writeFile(at('made'), 'ours')
    })
    expect(told).toEqual(['A made'])
    await project[Symbol.asyncDispose]()
    const opened = await observe(files, (at) => writeFile(at('.gitignore'), ''))
    expect(opened.told).toEqual(['M .gitignore'])
  })

  it('says when it does not know what a changed file held, because it was too large to be remembered', async () => {
    const { effects, contents } = await observe({ big: 'x'.repeat(600_000) }, (at) => writeFile(at('big'), 'small'))
    expect(effects[1]).toMatchObject({ target: 'big', change: 'modified', before: null, after: expect.any(String) })
    expect(contents).toEqual(['small'])
  })

  it('has nothing to do with links, with what is ignored, and with git', async () => {
    const files = { '.gitignore': 'out/\n', a: 'one', 'out/x': '1', '.git/HEAD': 'main' }
    const { told } = await observe(files, async (at) => {
      await writeFile(at('out/x'), '2')
      await writeFile(at('.git/HEAD'), 'other')
      await symlink('a', at('link'))
      await mkdir(at('empty'))
    })
    expect(told).toEqual([])
  })
})

const ended: ProcessOutcome = {
  kind: 'exited',
  exitCode: 0,
  signal: null,
  output: '',
  stdout: '',
  bytes: 0,
  cut: null,
  ms: 1,
  receipt: { guardian: 'none', abi: 0, layers: [], notCovered: [], access: 'write', network: 'off', policy: '' },
}

it('what changes beside the paths that a command may change is not told as its own', async () => {
  const before = { 'lib/a': 'a', 'lib2/b': 'b', c: 'c' }
  project = await createTestProject({ files: before })
  const { root } = project
  const workspace = await openWorkspace(root)
  if (!workspace.ok) throw new Error(workspace.refusal.message)
  const versions = createVersionLog({ keep: async () => 'new', drop: async () => undefined, begin: nothingKept.begin })
  const clock = { now: () => Date.now(), elapsed: () => performance.now() }
  const tree = createTreeWatch({ workspace: workspace.value, readLog: createReadLog(), versions, clock })
  const told = async (writable: readonly string[] | null, text: string) => {
    const command = await tree.begin(new AbortController().signal, writable)
    for (const path of Object.keys(before)) await writeFile(join(root, path), text)
    return (await command.end()).files.map(({ target }) => target).sort()
  }
  expect(await told(['lib'], 'first')).toEqual(['lib/a'])
  expect(await told(null, 'second')).toEqual(['c', 'lib/a', 'lib2/b'])
})
