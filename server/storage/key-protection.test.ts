import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { absentKeychain, createFileKeychain } from '../../tests/support/keychains.ts'
import { fill } from '../../tests/support/sealed-cells.ts'
import { openTempStore, type TempStore } from '../../tests/support/store.ts'
import { openKeyHome, readProtection, type Unlock } from './key-access.ts'
import { createKey } from './key-home.ts'
import { protectKeys, protectKeysByKeychain, unprotectKeys } from './key-protection.ts'
import { exportKeys, importKeys } from './key-transfer.ts'
import { openStore } from './open.ts'

const passphrase = randomBytes(12).toString('hex')
const another = randomBytes(12).toString('hex')
const keyNames = (temp: TempStore) => readdirSync(temp.homes.keys).sort()
const codeOf = (answer: { readonly ok: boolean } & Partial<{ readonly refusal: { readonly code: string } }>) =>
  answer.ok ? 'ok' : answer.refusal?.code

async function openAs(temp: TempStore, unlock: Unlock): Promise<string | undefined> {
  const opened = await openStore(temp.homes, Date.now, unlock)
  if (opened.ok) opened.value.close()
  return codeOf(opened)
}

describe('keys under a passphrase', { timeout: 60_000 }, () => {
  it('lie nowhere in the clear, open what was sealed before, and take in the keys of a rotation', async () => {
    await using temp = await openTempStore()
    const targets = (await fill(temp, 'word')).flat()
    const text = JSON.stringify(targets.map(({ read }) => read(temp.store)))
    temp.store.close()
    const [plain = ''] = keyNames(temp)
    const key = readFileSync(join(temp.homes.keys, plain))
    expect(codeOf(await protectKeys(temp.homes, passphrase))).toBe('ok')
    expect(keyNames(temp)).toEqual(['keys.locked'])
    const locked = readFileSync(join(temp.homes.keys, 'keys.locked'))
    for (const form of [key, key.toString('hex'), key.toString('base64url')]) expect(locked.includes(form)).toBe(false)
    expect(readProtection(temp.homes.keys)).toEqual({ ok: true, value: 'passphrase' })

    const opened = await openStore(temp.homes, Date.now, { passphrase })
    if (!opened.ok) throw new Error(opened.refusal.message)
    const store = opened.value
    expect(JSON.stringify(targets.map(({ read }) => read(store)))).toBe(text)
    const rotated = await store.rotateKeys()
    expect(rotated.ok && rotated.value.removed).toEqual([plain.replace('.key', '')])
    store.close()
    expect(keyNames(temp)).toEqual(['keys.locked'])
    const home = await openKeyHome(temp.homes.keys, { passphrase })
    const keys = home.ok ? home.value.read() : home
    expect(keys.ok && [...keys.value.keys()]).toEqual([rotated.ok ? rotated.value.active : ''])
  })

  it('need it, and a wrong one changes nothing', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    await protectKeys(temp.homes, passphrase)
    const before = readFileSync(join(temp.homes.keys, 'keys.locked'))
    expect(await openAs(temp, {})).toBe('key_home_locked')
    expect(await openAs(temp, { passphrase: another })).toBe('passphrase_wrong')
    expect(codeOf(await unprotectKeys(temp.homes, 'passphrase', { passphrase: another }))).toBe('passphrase_wrong')
    expect(codeOf(await protectKeys(temp.homes, another, {}))).toBe('key_home_locked')
    expect(readFileSync(join(temp.homes.keys, 'keys.locked')).equals(before)).toBe(true)
    expect(await openAs(temp, { passphrase })).toBe('ok')
  })

  it('go under another one and back into the clear, never beside a server', async () => {
    await using temp = await openTempStore()
    const names = keyNames(temp)
    expect(codeOf(await protectKeys(temp.homes, passphrase))).toBe('data_home_locked')
    temp.store.close()
    expect(codeOf(await protectKeys(temp.homes, 'short'))).toBe('passphrase_unusable')
    expect(keyNames(temp)).toEqual(names)
    await protectKeys(temp.homes, passphrase)
    expect(await protectKeys(temp.homes, another, { passphrase })).toMatchObject({ value: { before: 'passphrase' } })
    expect(await openAs(temp, { passphrase })).toBe('passphrase_wrong')
    expect(codeOf(await unprotectKeys(temp.homes, 'keychain', { passphrase: another }))).toBe('key_home_bare')
    expect(codeOf(await unprotectKeys(temp.homes, 'passphrase', { passphrase: another }))).toBe('ok')
    expect(keyNames(temp)).toEqual(names)
    await temp.reopen()
  })

  it('are there to begin with', async () => {
    await using temp = await openTempStore()
    const empty = { data: join(temp.homes.data, '../new'), keys: join(temp.homes.data, '../none') }
    expect(codeOf(await protectKeys(empty, passphrase))).toBe('key_home_empty')
    expect(readdirSync(empty.keys)).toEqual([])
  })

  it('are exported and imported as those in the clear are', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    await protectKeys(temp.homes, passphrase)
    const path = join(temp.homes.data, '../kept.keys')
    const file = { path, passphrase: another }
    expect(codeOf(await exportKeys(temp.homes, file))).toBe('key_home_locked')
    expect(codeOf(await exportKeys(temp.homes, file, { passphrase }))).toBe('ok')
    expect(await importKeys(temp.homes, file, { passphrase })).toMatchObject({ value: { imported: [] } })
    // The locked file is a key file itself, for whoever kept a copy of it.
    await using other = await openTempStore()
    other.store.close()
    const copy = { path: join(temp.homes.keys, 'keys.locked'), passphrase }
    expect(codeOf(await importKeys({ ...other.homes, data: join(other.homes.data, '../new') }, copy))).toBe('ok')
  })

  it('take in what lies beside them in the clear, at the next unlock', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    await protectKeys(temp.homes, passphrase)
    const made = createKey(temp.homes.keys)
    writeFileSync(join(temp.homes.keys, '0011.key.abcd.new'), 'half a key')
    expect(await openAs(temp, { passphrase })).toBe('ok')
    expect(keyNames(temp)).toEqual(['keys.locked'])
    const home = await openKeyHome(temp.homes.keys, { passphrase })
    const keys = home.ok ? home.value.read() : home
    expect(keys.ok && keys.value.has(made.ok ? made.value.id : '')).toBe(true)
  })
})

describe('keys under a keychain', { timeout: 60_000 }, () => {
  it('open by it alone, and leave no entry behind when they leave it', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    const directory = join(temp.homes.data, '..')
    const keychain = createFileKeychain(directory)
    const entries = () => readdirSync(directory).filter((name) => name.startsWith('entry-'))
    expect(codeOf(await protectKeysByKeychain(temp.homes, { keychain }))).toBe('ok')
    expect(keyNames(temp)).toEqual(['keys.locked'])
    expect(entries()).toHaveLength(1)
    expect(await openAs(temp, { keychain })).toBe('ok')
    expect(await openAs(temp, { keychain: absentKeychain })).toBe('keychain_unusable')
    expect(await openAs(temp, { keychain: createFileKeychain(temp.homes.data) })).toBe('keychain_unusable')
    expect(keyNames(temp)).toEqual(['keys.locked'])
    expect(await protectKeys(temp.homes, passphrase, { keychain })).toMatchObject({ value: { before: 'keychain' } })
    expect(entries()).toEqual([])
    expect(codeOf(await protectKeysByKeychain(temp.homes, { keychain, passphrase }))).toBe('ok')
    expect(codeOf(await unprotectKeys(temp.homes, 'keychain', { keychain }))).toBe('ok')
    expect(entries()).toEqual([])
    expect(keyNames(temp)).toEqual([expect.stringMatching(/\.key$/)])
  })

  it('stay where they are when it is absent, or does not give back what it got', async () => {
    await using temp = await openTempStore()
    temp.store.close()
    const names = keyNames(temp)
    const forgetful = { ...createFileKeychain(temp.homes.data), read: async () => ({ ok: true, value: null }) as const }
    for (const keychain of [absentKeychain, forgetful]) {
      expect(codeOf(await protectKeysByKeychain(temp.homes, { keychain }))).toBe('keychain_unusable')
    }
    expect(keyNames(temp)).toEqual(names)
    await temp.reopen()
  })
})
