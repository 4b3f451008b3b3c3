import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prepareHomes } from './homes.ts'
import { createKey, readKeys } from './key-home.ts'

let base: string
let homes: { data: string; keys: string }
let keyFile: string

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-keys-'))
  homes = { data: join(base, 'data'), keys: join(base, 'keys') }
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function makeKey(): void {
  prepareHomes(homes)
  const made = createKey(homes.keys)
  keyFile = join(homes.keys, made.ok ? `${made.value.id}.key` : 'none')
}

/** The code of the refusal, or `ok`. */
function look(): string {
  const prepared = prepareHomes(homes)
  if (!prepared.ok) return prepared.refusal.code
  const keys = readKeys(prepared.value.keys)
  return keys.ok ? 'ok' : keys.refusal.code
}

describe('the key home', () => {
  it('is private from the start, whatever the umask says', () => {
    const mask = process.umask(0)
    try {
      makeKey()
    } finally {
      process.umask(mask)
    }
    expect(statSync(homes.keys).mode & 0o777).toBe(0o700)
    expect(statSync(homes.data).mode & 0o777).toBe(0o700)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    expect(look()).toBe('ok')
  })

  it('is tightened while it is empty, and refused when it was open with a key in it', () => {
    mkdirSync(homes.keys, { mode: 0o755 })
    expect(look()).toBe('ok')
    expect(statSync(homes.keys).mode & 0o777).toBe(0o700)
    makeKey()
    chmodSync(homes.keys, 0o755)
    expect(look()).toBe('key_home_unsafe')
  })

  it.each<[string, () => void]>([
    ['a key file that others can read', () => chmodSync(keyFile, 0o644)],
    ['a key file with a second name', () => linkSync(keyFile, join(base, 'copy'))],
    ['a key of 31 bytes', () => truncateSync(keyFile, 31)],
    ['a key of 33 bytes', () => writeFileSync(keyFile, Buffer.alloc(33))],
    ['an empty key', () => truncateSync(keyFile, 0)],
    ['another key under the same name', () => writeFileSync(keyFile, Buffer.alloc(32))],
    [
      'a link to a key',
      () => {
        renameSync(keyFile, join(base, 'elsewhere'))
        symlinkSync(join(base, 'elsewhere'), keyFile)
      },
    ],
    [
      'a directory in place of a key',
      () => {
        rmSync(keyFile)
        mkdirSync(keyFile)
      },
    ],
  ])('refuses %s', (_, spoil) => {
    makeKey()
    expect(look()).toBe('ok')
    spoil()
    expect(look()).toBe('key_home_unsafe')
    expect(readdirSync(homes.keys)).toHaveLength(1)
  })

  it('may not be a link, lie inside the data home, or stand where everyone can write', () => {
    makeKey()
    const real = homes.keys
    symlinkSync(real, join(base, 'link'))
    homes.keys = join(base, 'link')
    expect(look()).toBe('key_home_unsafe')
    homes.keys = join(homes.data, 'keys')
    expect(look()).toBe('key_home_unsafe')
    homes.keys = real
    chmodSync(base, 0o777)
    expect(look()).toBe('key_home_unsafe')
    chmodSync(base, 0o1777)
    expect(look()).toBe('ok')
  })

  it('says how to put it right', () => {
    makeKey()
    chmodSync(keyFile, 0o640)
    const keys = readKeys(homes.keys)
    expect(keys.ok ? '' : keys.refusal.message).toContain(`chmod 600 ${keyFile}`)
  })
})

describe('the data home', () => {
  it('is tightened, and refused when it is a file', () => {
    mkdirSync(homes.data, { mode: 0o755 })
    expect(look()).toBe('ok')
    expect(statSync(homes.data).mode & 0o777).toBe(0o700)
    homes.data = join(base, 'file')
    writeFileSync(homes.data, '')
    expect(look()).toBe('data_home_unusable')
  })
})
