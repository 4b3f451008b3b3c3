import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fill } from '../../tests/support/sealed-cells.ts'
import { openTempStore, type TempStore } from '../../tests/support/store.ts'
import { deriveOpener, drawPassphraseLock, sealKeys } from './key-file.ts'
import { createKey } from './key-home.ts'
import { exportKeys, importKeys } from './key-transfer.ts'

const passphrase = randomBytes(12).toString('hex')
const placeOf = (temp: TempStore, name = 'kept.keys') => join(temp.homes.data, '..', name)
const keyNames = (temp: TempStore) => readdirSync(temp.homes.keys).sort()

type Answer = Awaited<ReturnType<typeof exportKeys>> | Awaited<ReturnType<typeof importKeys>>
const codeOf = (answer: Answer) => (answer.ok ? 'ok' : answer.refusal.code)

/** Exports the key, then loses the key home. */
async function loseKeys(temp: TempStore): Promise<string> {
  const path = placeOf(temp)
  expect(codeOf(await exportKeys(temp.homes, { path, passphrase }))).toBe('ok')
  temp.store.close()
  rmSync(temp.homes.keys, { recursive: true })
  return path
}

describe('an exported key file', () => {
  it('brings a lost key home back, and what was sealed opens again', async () => {
    await using temp = await openTempStore()
    const targets = (await fill(temp, 'word')).flat()
    const text = JSON.stringify(targets.map(({ read }) => read(temp.store)))
    const names = keyNames(temp)
    const path = await loseKeys(temp)
    expect(await importKeys(temp.homes, { path, passphrase })).toMatchObject({
      value: { imported: [expect.any(String)], present: [] },
    })
    expect(keyNames(temp)).toEqual(names)
    const store = await temp.reopen()
    expect(JSON.stringify(targets.map(({ read }) => read(store)))).toBe(text)
    expect(await importKeys(temp.homes, { path, passphrase })).toMatchObject({
      value: { imported: [], present: [expect.any(String)] },
    })
  })

  it('is private, holds no key in the clear, and replaces nothing', async () => {
    await using temp = await openTempStore()
    const path = placeOf(temp)
    const mask = process.umask(0)
    try {
      expect(codeOf(await exportKeys(temp.homes, { path, passphrase }))).toBe('ok')
    } finally {
      process.umask(mask)
    }
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const key = readFileSync(join(temp.homes.keys, keyNames(temp)[0] ?? ''))
    const text = readFileSync(path)
    for (const form of [key, key.toString('hex'), key.toString('base64url')]) expect(text.includes(form)).toBe(false)
    expect(codeOf(await exportKeys(temp.homes, { path, passphrase }))).toBe('key_file_unusable')
    expect(readFileSync(path).equals(text)).toBe(true)
  })

  it('is not put into a home, through a link to nothing, or under a weak passphrase', async () => {
    await using temp = await openTempStore()
    const attempts = [
      { path: join(temp.homes.data, 'x'), passphrase, code: 'key_file_unusable' },
      { path: join(temp.homes.keys, 'x.key'), passphrase, code: 'key_file_unusable' },
      { path: placeOf(temp, 'link'), passphrase, code: 'key_file_unusable' },
      { path: placeOf(temp, 'none/x'), passphrase, code: 'key_file_unusable' },
      { path: placeOf(temp), passphrase: 'eleven char', code: 'passphrase_unusable' },
      { path: placeOf(temp), passphrase: 'aaaaaaaaaaaaaaaaaaaa', code: 'passphrase_unusable' },
    ]
    symlinkSync(join(temp.homes.data, 'through-the-link'), placeOf(temp, 'link'))
    for (const { path, passphrase: words, code } of attempts) {
      expect([path, codeOf(await exportKeys(temp.homes, { path, passphrase: words }))]).toEqual([path, code])
    }
    expect(readdirSync(join(temp.homes.data, '..')).sort()).toEqual(['data', 'keys', 'link'])
  })

  it('opens with its passphrase in any Unicode spelling, and with no other', async () => {
    await using temp = await openTempStore()
    const path = placeOf(temp)
    const words = `\u00e4rger ${passphrase}`
    expect(codeOf(await exportKeys(temp.homes, { path, passphrase: words }))).toBe('ok')
    expect(codeOf(await importKeys(temp.homes, { path, passphrase: words.normalize('NFD') }))).toBe('ok')
    expect(codeOf(await importKeys(temp.homes, { path, passphrase: `${words} ` }))).toBe('key_file_unopened')
  })

  it('does not open when any part of it was changed, and nothing is imported then', { timeout: 90_000 }, async () => {
    await using temp = await openTempStore()
    const path = await loseKeys(temp)
    const text = readFileSync(path, 'utf8')
    const [title = '', cost = '', body = ''] = text.split('\n')
    const other = (char: string) => (char === 'A' ? 'B' : 'A')
    const swap = (line: string, at: number) => line.slice(0, at) + other(line.charAt(at)) + line.slice(at + 1)
    const changes: [string, string, string][] = [
      ['salt', text.replace(cost, swap(cost, cost.indexOf(' 1 ') + 5)), 'key_file_unopened'],
      ['nonce', text.replace(cost, swap(cost, cost.length - 6)), 'key_file_unopened'],
      ['more rounds', text.replace(' 8 1 ', ' 8 2 '), 'key_file_unopened'],
      ['first byte', text.replace(body, swap(body, 0)), 'key_file_unopened'],
      ['last byte', text.replace(body, swap(body, body.length - 3)), 'key_file_unopened'],
      ['cheaper cost', text.replace('131072', '65536'), 'key_file_unusable'],
      ['no power of two', text.replace('131072', '131073'), 'key_file_unusable'],
      ['ruinous cost', text.replace('131072', '2097152'), 'key_file_unusable'],
      ['ruinous memory', text.replace(' 8 1 ', ' 999 1 '), 'key_file_unusable'],
      ['another version', text.replace(title, 'bridlewise keys 2'), 'key_file_unusable'],
      ['cut', `${text.slice(0, -8)}\n`, 'key_file_unusable'],
      ['empty', '', 'key_file_unusable'],
      ['with more behind it', `${text}\n`, 'key_file_unusable'],
      ['huge', text + 'x'.repeat(70_000), 'key_file_unusable'],
    ]
    for (const [what, changed, code] of changes) {
      writeFileSync(path, changed)
      expect([what, codeOf(await importKeys(temp.homes, { path, passphrase }))]).toEqual([what, code])
    }
    expect(keyNames(temp)).toEqual([])
    writeFileSync(path, text)
    expect(codeOf(await importKeys(temp.homes, { path, passphrase }))).toBe('ok')
    await temp.reopen()
  })

  it('of another data home is not imported beside sealed data, and is into a home that has sealed nothing', async () => {
    await using temp = await openTempStore()
    await using other = await openTempStore()
    const path = placeOf(other)
    expect(codeOf(await exportKeys(other.homes, { path, passphrase }))).toBe('ok')
    const names = keyNames(temp)
    expect(codeOf(await importKeys(temp.homes, { path, passphrase }))).toBe('key_file_unfit')
    expect(keyNames(temp)).toEqual(names)
    const fresh = { data: placeOf(temp, 'fresh'), keys: placeOf(temp, 'fresh-keys') }
    expect(codeOf(await importKeys(fresh, { path, passphrase }))).toBe('ok')
    expect(readdirSync(fresh.keys)).toEqual(keyNames(other))
  })

  it('is not imported while a key that the data needs would stay missing', async () => {
    await using temp = await openTempStore()
    await fill(temp, 'word')
    const cut = temp.store.rotateKeys({
      rowsAtOnce: 1,
      onProgress: () => {
        throw new Error('cut off')
      },
    })
    await cut.catch(() => undefined)
    temp.store.close()
    const [one = '', two = ''] = keyNames(temp)
    const path = placeOf(temp)
    const lock = drawPassphraseLock()
    const opener = await deriveOpener(lock, passphrase)
    writeFileSync(path, sealKeys([readFileSync(join(temp.homes.keys, one))], lock, opener))
    mkdirSync(placeOf(temp, 'away'))
    for (const name of [one, two]) renameSync(join(temp.homes.keys, name), join(placeOf(temp, 'away'), name))
    expect(codeOf(await importKeys(temp.homes, { path, passphrase }))).toBe('key_file_unfit')
    expect(keyNames(temp)).toEqual([])
    renameSync(join(placeOf(temp, 'away'), two), join(temp.homes.keys, two))
    expect(codeOf(await importKeys(temp.homes, { path, passphrase }))).toBe('ok')
    await temp.reopen()
  })

  it('holds every key of a key home that several data homes share', async () => {
    await using temp = await openTempStore()
    createKey(temp.homes.keys)
    const answer = await exportKeys(temp.homes, { path: placeOf(temp), passphrase })
    expect(answer.ok ? answer.value.map((id) => `${id}.key`).toSorted() : []).toEqual(keyNames(temp))
  })
})
