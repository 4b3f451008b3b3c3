/** The key commands as a person starts them: a process, its words, its exit code. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Homes, openStore } from '../storage/index.ts'

const cli = join(import.meta.dirname, '../cli.ts')
const passphrase = randomBytes(12).toString('hex')

let base: string
let homes: Homes
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-keys-'))
  homes = { data: join(base, 'data'), keys: join(base, 'keys') }
  writeFileSync(join(base, 'passphrase'), `${passphrase}\n`, { mode: 0o600 })
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function run(words: readonly string[], input = '') {
  const environment = { PATH: process.env['PATH'], HOME: base, HARNESS_WEB_DATA: homes.data, HARNESS_WEB_KEYS: homes.keys }
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'keys', ...words], {
    env: environment,
    input,
    encoding: 'utf8',
  })
  return { status, text: stdout + stderr }
}

async function openHere() {
  const opened = await openStore(homes)
  if (!opened.ok) throw new Error(opened.refusal.message)
  return opened.value
}

describe('bridlewise keys', { timeout: 90_000 }, () => {
  it('rotates while no server runs, and not beside one', async () => {
    const store = await openHere()
    const [old = ''] = readdirSync(homes.keys)
    expect(run(['rotate'])).toMatchObject({ status: 1, text: expect.stringContaining('data_home_locked') })
    expect(readdirSync(homes.keys)).toEqual([old])
    store.close()
    expect(run(['rotate'])).toMatchObject({
      status: 0,
      text: expect.stringContaining(`Key ${old.replace('.key', '')} was removed.`),
    })
    expect(readdirSync(homes.keys)).not.toContain(old)
  })

  it('exports beside a running server and imports what was lost, with a passphrase from a file or a pipe', async () => {
    const store = await openHere()
    const names = readdirSync(homes.keys)
    const file = join(base, 'kept.keys')
    const exported = run(['export', file, '--passphrase-file', join(base, 'passphrase')])
    expect(exported).toMatchObject({ status: 0, text: expect.stringContaining('read back') })
    expect(exported.text).not.toContain(passphrase)
    store.close()
    rmSync(homes.keys, { recursive: true })
    expect(run(['import', file, '--passphrase-file', '/dev/stdin'], 'something else')).toMatchObject({
      status: 1,
      text: expect.stringContaining('key_file_unopened'),
    })
    expect(run(['import', file, '--passphrase-file', '/dev/stdin'], `${passphrase}\n`).status).toBe(0)
    expect(readdirSync(homes.keys)).toEqual(names)
  })

  it.each([
    ['a passphrase as a word', ['export', 'kept.keys', 'correct horse battery'], 2],
    ['no file', ['export'], 2],
    ['an unknown option', ['import', 'kept.keys', '--passphrase', 'x'], 2],
    ['a word behind rotate', ['rotate', 'now'], 2],
    ['no terminal and no passphrase file', ['export', 'kept.keys'], 1],
  ])('does nothing for %s', (_, words, status) => {
    expect(run(words).status).toBe(status)
    expect(readdirSync(base)).toEqual(['passphrase'])
  })

  it('takes no passphrase from a file that others can read', async () => {
    ;(await openHere()).close()
    chmodSync(join(base, 'passphrase'), 0o644)
    const refused = run(['export', join(base, 'kept.keys'), '--passphrase-file', join(base, 'passphrase')])
    expect(refused).toMatchObject({ status: 1, text: expect.stringContaining('chmod 600') })
    expect(readdirSync(base)).not.toContain('kept.keys')
  })
})
