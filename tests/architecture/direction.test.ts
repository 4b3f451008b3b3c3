import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const packages = ['shared', 'engine', 'server', 'cockpit', 'guardian', 'tests']

interface Rules {
  readonly forbidden: readonly { readonly name: string }[]
  readonly options: ICruiseOptions
}
const rules = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs')) as Rules

async function cruiseAt(directory: string, folders: string[]): Promise<ICruiseResult> {
  const { tsConfig: _, ...options } = rules.options
  const ruleSet = { forbidden: rules.forbidden } as NonNullable<ICruiseOptions['ruleSet']>
  const reply = await cruise(
    folders,
    { ...options, baseDir: directory, validate: true, ruleSet },
    options.enhancedResolveOptions as never,
  )
  return reply.output as ICruiseResult
}

describe('the house itself', () => {
  it('has every source file seen by the cruiser', async () => {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...packages], {
      cwd: root,
      encoding: 'utf8',
    })
    const sources = listed
      .split('\n')
      .filter((file) => /\.(ts|svelte|js)$/.test(file) && !/\.d\.ts$/.test(file))
      .filter((file) => !file.startsWith('server/demo/sample/'))
    const { modules } = await cruiseAt(root, packages)
    const seen = new Set(modules.map((module) => module.source))
    expect(sources.filter((file) => !seen.has(file))).toEqual([])
  })
})

/** For each rule, the smallest tree that breaks it: file → what it imports. */
const violations: Record<string, Record<string, readonly string[]>> = {
  'no-cycles': { 'shared/wire/a.ts': ['./b.ts'], 'shared/wire/b.ts': ['./a.ts'] },
  'no-orphans': { 'engine/src/kernel/lonely.ts': [] },
  'declared-only': { 'engine/src/kernel/ghost.ts': ['left-unpadded'] },
  'no-borrowed-tools': { 'server/borrows.ts': ['borrowed'] },
  'shared-is-a-leaf': { 'shared/wire/up.ts': ['../../engine/src/index.ts'] },
  'shared-is-portable': { 'shared/wire/reads.ts': ['node:fs'] },
  'shared-needs-little': { 'shared/wire/greedy.ts': ['openai'] },
  'engine-below-server': { 'engine/src/kernel/web.ts': ['fastify'] },
  'engine-not-blocks': { 'engine/src/kernel/blocks.ts': ['../../../shared/blocks/index.ts'] },
  'server-not-cockpit': { 'server/draws.ts': ['../cockpit/src/main.ts'] },
  'cockpit-only-shared': { 'cockpit/src/reach.ts': ['../../server/index.ts'] },
  'guardian-stands-alone': { 'guardian/knows.ts': ['../shared/index.ts'] },
  'no-tests-in-product': { 'server/tested.ts': ['../tests/support/thing.ts'] },
  'package-front-door': { 'server/deep.ts': ['../engine/src/kernel/index.ts'] },
  'engine-layer-0': { 'engine/src/kernel/up.ts': ['../workspace/index.ts'] },
  'engine-layer-1': { 'engine/src/privacy/sideways.ts': ['../workspace/index.ts'] },
  'engine-layer-2': { 'engine/src/editor/up.ts': ['../tools/index.ts'] },
  'engine-layer-3': { 'engine/src/tools/up.ts': ['../agents/index.ts'] },
  'engine-layer-4': { 'engine/src/agents/up.ts': ['../harness/index.ts'] },
  'engine-layer-5': { 'engine/src/harness/up.ts': ['../cli/main.ts'] },
  'room-front-door': { 'engine/src/agents/window.ts': ['../tools/gate.ts'] },
  'cli-is-a-client': { 'engine/src/cli/inside.ts': ['../agents/index.ts'] },
  'server-room-door': { 'server/runs/window.ts': ['../storage/seal.ts'] },
  'stream-cannot-start-a-run': {
    'server/handlers/run-stream.ts': ['./step.ts'],
    'server/handlers/step.ts': ['../runs/execute.ts'],
  },
  'one-egress': { 'server/runs/direct.ts': ['../llm/redaction.ts'] },
  'one-transport': { 'server/runs/calls.ts': ['node:https'] },
  'one-spawn': { 'server/runs/spawns.ts': ['node:child_process'] },
  'one-database': { 'server/runs/queries.ts': ['better-sqlite3'] },
}

/** What the planted files lean on; none of it breaks a rule. */
const skeleton: Record<string, readonly string[]> = {
  'shared/index.ts': ['./blocks/index.ts'],
  'shared/blocks/index.ts': [],
  'engine/src/index.ts': [
    './kernel/index.ts',
    './workspace/index.ts',
    './tools/index.ts',
    './agents/index.ts',
    './harness/index.ts',
  ],
  'engine/src/kernel/index.ts': [],
  'engine/src/workspace/index.ts': [],
  'engine/src/tools/index.ts': ['./gate.ts'],
  'engine/src/tools/gate.ts': [],
  'engine/src/agents/index.ts': [],
  'engine/src/harness/index.ts': [],
  'engine/src/cli/main.ts': ['../index.ts'],
  'server/index.ts': ['./storage/index.ts', './runs/execute.ts', './llm/bridge.ts'],
  'server/storage/index.ts': ['./seal.ts'],
  'server/storage/seal.ts': [],
  'server/runs/execute.ts': [],
  'server/llm/bridge.ts': ['./redaction.ts'],
  'server/llm/redaction.ts': [],
  'cockpit/src/main.ts': ['../../shared/index.ts'],
  'tests/support/thing.ts': ['../../server/index.ts'],
}

describe('a planted violation', () => {
  const planted = mkdtempSync(path.join(tmpdir(), 'bridlewise-direction-'))
  let broken = new Map<string, Set<string>>()

  beforeAll(async () => {
    const files = { ...skeleton, ...Object.assign({}, ...Object.values(violations)) } as Record<string, readonly string[]>
    for (const [file, imports] of Object.entries(files)) write(file, imports.map((target) => `import '${target}'`).join('\n'))
    for (const name of packages) write(`${name}/package.json`, JSON.stringify({ name: `@planted/${name}`, type: 'module' }))
    write('package.json', JSON.stringify({ name: 'planted', type: 'module', devDependencies: { borrowed: '1.0.0' } }))
    for (const name of ['openai', 'fastify', 'better-sqlite3', 'borrowed']) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
      write(`node_modules/${name}/index.js`, '')
    }
    const { summary } = await cruiseAt(planted, packages)
    broken = Map.groupBy(summary.violations, (found) => found.rule.name) as unknown as typeof broken
    broken = new Map(
      [...broken].map(([name, found]) => [name, new Set([...(found as never as { from: string }[])].map((one) => one.from))]),
    )
  })
  afterAll(() => rmSync(planted, { recursive: true, force: true }))

  function write(file: string, text: string) {
    mkdirSync(path.dirname(path.join(planted, file)), { recursive: true })
    writeFileSync(path.join(planted, file), text)
  }

  it('stands in the table for every rule there is', () => {
    expect(Object.keys(violations).sort()).toEqual(rules.forbidden.map((rule) => rule.name).sort())
  })

  it.each(Object.entries(violations))('of %s is refused', (name, files) => {
    expect([...(broken.get(name) ?? [])]).toContain(Object.keys(files)[0])
  })

  it('is the only thing refused: the files that it leans on pass', () => {
    const innocent = Object.keys(skeleton).filter((file) =>
      [...broken].some(([name, from]) => name !== 'no-orphans' && from.has(file)),
    )
    expect(innocent).toEqual([])
  })
})
