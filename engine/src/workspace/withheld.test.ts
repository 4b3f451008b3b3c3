import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EgressRule } from '@bridlewise/shared/wire'
import { afterEach, describe, expect, it } from 'vitest'
import { checkEgressRule, withholding } from './withheld.ts'
import { findWithheld } from './withheld-text.ts'
import { openWorkspace } from './workspace.ts'

const path = (pattern: string): EgressRule => ({ kind: 'path', pattern })
const named = (name: 'environment' | 'keys' | 'locks' | 'databases'): EgressRule => ({ kind: 'class', name })

describe('a rule about paths', () => {
  it.each([
    [path('secret.txt'), ['secret.txt', 'a/b/secret.txt', 'SECRET.TXT'], ['secret.txt.md', 'a/not-secret.txt']],
    [path('/secret.txt'), ['secret.txt'], ['a/secret.txt']],
    [path('private/'), ['private/a', 'x/private/b/c'], ['private', 'privately/a']],
    [path('docs/*.md'), ['docs/a.md'], ['docs/a/b.md', 'a.md']],
    [path('**/gen/**'), ['gen/a', 'x/gen/y/z'], ['generated/a']],
    [
      named('environment'),
      ['.env', 'app/.env', '.env.local', 'prod.env', '.envrc'],
      ['.env.example', 'env.ts', 'environment.md'],
    ],
    [named('keys'), ['a.pem', 'x/id_rsa', '.ssh/config', '.npmrc'], ['id_rsa.ts', 'keys.md', 'pem/a.txt']],
    [named('locks'), ['package-lock.json', 'a/Cargo.lock', 'go.sum'], ['package.json', 'lock.ts']],
    [named('databases'), ['data/app.sqlite', 'a.db'], ['db.ts', 'schema.sql']],
  ])('%j keeps %j and lets %j pass', (rule, kept, passes) => {
    const rules = withholding([rule])
    expect(kept.filter((name) => rules.ofPath(name) === null)).toEqual([])
    expect(passes.filter((name) => rules.ofPath(name) !== null)).toEqual([])
  })

  it.each(['', '/', '!a', '# a', 'a\nb', '../a', './../a'])('is refused as %j, which could keep nothing', (pattern) => {
    expect(checkEgressRule(path(pattern))).toMatchObject({ refusal: { code: 'pattern_invalid' } })
    expect(checkEgressRule(path('a/b')).ok).toBe(true)
  })
})

let root: string | null = null
afterEach(() => root !== null && rmSync(root, { recursive: true, force: true }))

function makeTree(files: Readonly<Record<string, string>>): string {
  root = mkdtempSync(join(tmpdir(), 'bridlewise-withheld-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

describe('a workspace with rules', () => {
  it('neither reads nor admits a withheld file, passes it in a walk, and shows its name', async () => {
    const opened = await openWorkspace(makeTree({ 'kept.txt': 'kept', 'open.txt': 'open' }), withholding([path('kept.txt')]))
    if (!opened.ok) throw new Error(opened.refusal.message)
    const workspace = opened.value
    for (const answer of [await workspace.read('kept.txt'), await workspace.admit('./kept.txt')]) {
      expect(answer).toMatchObject({ refusal: { code: 'path_withheld', details: { rule: 'kept.txt' } } })
    }
    expect((await workspace.read('open.txt')).ok && (await workspace.admit('open.txt')).ok).toBe(true)
    const walk = workspace.walk({})
    const texts: string[] = []
    for await (const file of walk) texts.push(`${file.path} ${file.readText(1000)?.text}`)
    expect(texts).toEqual(['kept.txt undefined', 'open.txt open'])
    expect(walk.skipped()).toEqual([{ reason: 'withheld', count: 1 }])
  })
})

describe('the words of withheld files', () => {
  it('are whole lines and values, of ignored and hidden files too, and of nothing behind a link', async () => {
    const tree = makeTree({
      '.gitignore': '.env\n',
      '.env': 'SHORT=abc\nTOKEN="a-long-value"\n\n  indented line of words  \n',
      'open.txt': 'some other words that are long',
      'elsewhere/file.txt': 'behind the link it stays',
    })
    symlinkSync(join(tree, 'elsewhere/file.txt'), join(tree, 'x.env'))
    const found = await findWithheld(
      tree,
      { rules: withholding([named('environment')]), reading: 'words' },
      AbortSignal.timeout(5000),
    )
    expect(found.files.map(({ path: name }) => name)).toEqual(['.env'])
    expect(found.words.map(({ words }) => words)).toEqual(['TOKEN="a-long-value"', 'a-long-value', 'indented line of words'])
    expect(found.complete).toBe(true)
  })

  it('are said to be incomplete when a file is not read', async () => {
    const tree = makeTree({ '.env': 'x'.repeat(2 * 1024 * 1024) })
    const rules = withholding([named('environment')])
    const signal = AbortSignal.timeout(5000)
    expect(await findWithheld(tree, { rules, reading: 'words' }, signal)).toMatchObject({ words: [], complete: false })
    expect(await findWithheld(tree, { rules, reading: 'names' }, signal)).toMatchObject({ complete: true })
  })
})
