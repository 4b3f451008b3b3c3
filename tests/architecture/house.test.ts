import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(path.join(root, file)))
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** Packages, and the folders inside them that are rooms. */
const rooms = [
  'shared',
  'engine',
  'server',
  'cockpit',
  'guardian',
  ...foldersOf('engine/src'),
  ...foldersOf('server').filter((folder) => !folder.includes('node_modules')),
  ...foldersOf('cockpit/src'),
]

function foldersOf(parent: string): string[] {
  return readdirSync(path.join(root, parent))
    .map((name) => `${parent}/${name}`)
    .filter((folder) => statSync(path.join(root, folder)).isDirectory() && tracked.some((file) => file.startsWith(`${folder}/`)))
}

describe('the top level', () => {
  it('holds the packages, the docs and what any project has', () => {
    const names = new Set(tracked.map((file) => file.split('/')[0] as string).filter((name) => !name.startsWith('.')))
    const expected = ['shared', 'engine', 'server', 'cockpit', 'guardian', 'docs', 'tests']
    const ordinary = [
      'package.json',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      'tsconfig.base.json',
      'tsconfig.json',
      'biome.json',
      'vitest.config.ts',
      'knip.json',
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'LICENSE',
    ]
    expect([...names].filter((name) => !expected.includes(name) && !ordinary.includes(name))).toEqual([])
  })
})

describe('the README of', () => {
  it.each(rooms)('%s exists, is short, and names only files that are there', (room) => {
    const file = `${room}/README.md`
    expect(existsSync(path.join(root, file))).toBe(true)
    const text = read(file)
    expect(text.split('\n').length).toBeLessThanOrEqual(room.includes('/') ? 45 : 60)
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|svelte|c|h|css|md))`/g)].map((match) => match[1] as string)
    const missing = named.filter(
      (name) => !name.includes('<') && ![room, root, '.'].some((base) => existsSync(path.resolve(root, base, name))),
    )
    expect(missing).toEqual([])
  })
})

describe('every source file', () => {
  const sources = tracked.filter((file) => /\.(ts|svelte|c|h)$/.test(file) && !/(migrations|demo\/sample)\//.test(file))

  it('stays under 500 lines, or an ADR says why', () => {
    expect(sources.filter((file) => read(file).split('\n').length > 500)).toEqual([])
  })

  it('has no default export, no wildcard export and no skipped test', () => {
    const banned = [/^export \* from/m, /\b(it|test|describe)\.(skip|only|todo)\(/]
    const files = sources.filter((file) => !file.endsWith('.config.ts') && file !== 'tests/architecture/house.test.ts')
    expect(files.filter((file) => banned.some((pattern) => pattern.test(read(file))))).toEqual([])
    expect(files.filter((file) => file.endsWith('.ts') && /^export default/m.test(read(file)))).toEqual([])
  })
})

describe('a component of the cockpit', () => {
  it.each(tracked.filter((file) => file.endsWith('.svelte')))(
    '%s imports only its own package, shared and what is declared',
    (file) => {
      const imports = [...read(file).matchAll(/from\s+'([^']+)'/g)].map((match) => match[1] as string)
      const outside = imports.filter(
        (target) => target.startsWith('.') && !path.join(path.dirname(file), target).startsWith('cockpit/'),
      )
      const foreign = imports.filter((target) => target.startsWith('@bridlewise/') && !target.startsWith('@bridlewise/shared'))
      expect([...outside, ...foreign]).toEqual([])
    },
  )

  it.each(tracked.filter((file) => /^cockpit\/src\/(views|parts|render)\/.*\.svelte$/.test(file)))(
    '%s does not fetch',
    (file) => {
      expect(read(file)).not.toMatch(/\bfetch\(|XMLHttpRequest|new EventSource|new WebSocket/)
    },
  )
})

describe('an ADR', () => {
  it.each(tracked.filter((file) => /^docs\/adr\/\d{4}-/.test(file)))('%s has every section', (file) => {
    const text = read(file)
    for (const section of ['Status', 'Forces', 'Decision', 'Consequences', 'Rejected', 'Enforced by'])
      expect(text).toContain(section)
  })
})
