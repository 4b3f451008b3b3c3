/** CRY-12: the keychain of the system is there, is not there, or is gone. A new key is never the answer. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../server/storage/index.ts'
import { findKeyring, runWithKeyring } from '../support/keyring.ts'
import { need } from '../support/script-client.ts'

const cli = path.join(import.meta.dirname, '../../server/cli.ts')
const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-keychain-'))
const homes = { data: path.join(base, 'data'), keys: path.join(base, 'keys') }
const environment = { HARNESS_WEB_DATA: homes.data, HARNESS_WEB_KEYS: homes.keys }
const keyring = findKeyring()

beforeAll(async () => need(await openStore(homes)).close())
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** As on a server, or in a session whose bus is gone. */
function runWithout(words: string) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: base, ...environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words.split(' ')], { env, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

const runWith = (words: string) => runWithKeyring(base, `${process.execPath} ${cli} ${words}`, environment)

describe('the keychain of the system', { timeout: 120_000 }, () => {
  it('is not used where there is none: the key stays in its file', () => {
    const names = readdirSync(homes.keys)
    expect(runWithout('keys keychain on')).toMatchObject({ status: 1, text: expect.stringContaining('[keychain_unusable]') })
    expect(readdirSync(homes.keys)).toEqual(names)
    expect(runWithout('ledger verify').status).toBe(0)
  })

  // Without root and without the package there is nothing real to ask; the line above still holds then.
  if (!keyring) return

  it('opens the key home where it is, and stops the start where it is gone', () => {
    const [key] = readdirSync(homes.keys)
    expect(runWith('keys keychain on')).toMatchObject({ status: 0 })
    expect(readdirSync(homes.keys)).toEqual(['keys.locked'])
    const locked = readFileSync(path.join(homes.keys, 'keys.locked'), 'utf8')
    const { text } = runWith('doctor')
    expect(text).toContain('under an entry of the system')
    expect(text).toContain('0 entries, 0 of them erased')

    expect(runWithout('ledger verify')).toMatchObject({ status: 1, text: expect.stringContaining('[keychain_unusable]') })
    expect(readFileSync(path.join(homes.keys, 'keys.locked'), 'utf8')).toBe(locked)
    expect(readdirSync(homes.keys)).toEqual(['keys.locked'])

    expect(runWith('keys keychain off')).toMatchObject({ status: 0 })
    expect(readdirSync(homes.keys)).toEqual([key])
    expect(runWithout('ledger verify').status).toBe(0)
  })
})
