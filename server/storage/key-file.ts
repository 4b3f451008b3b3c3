/**
 * Keys in one file that a passphrase or an entry of the system's keychain opens: to be carried and kept
 * elsewhere, or in the key home in place of keys in the clear.
 *
 * Three lines of text: `bridlewise keys 1`; what opens it, which is `scrypt`, N, r, p, salt and nonce, or
 * `keychain`, entry and nonce; and the keys, one after the other, sealed with AES-256-GCM, tag at the
 * end. The first two lines are the associated data: who changes the format, the cost or the salt gets a
 * file that does not open. Bytes are base64url.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { keyBytes } from './key-home.ts'

/** What the key comes from that opens the file. */
export type KeyLock =
  | { readonly kind: 'passphrase'; readonly cost: Cost; readonly salt: Buffer }
  | { readonly kind: 'keychain'; readonly entry: string }

/** What a key file says before it is opened, or why it is none. */
export type KeyText = { readonly kind: 'keys'; readonly sealed: SealedKeys } | { readonly kind: 'not'; readonly problem: string }

export interface SealedKeys {
  readonly lock: KeyLock
  /** The first two lines, as they stand in the file. */
  readonly head: string
  readonly nonce: Buffer
  readonly body: Buffer
}

interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

const title = 'bridlewise keys 1'
const cipherName = 'aes-256-gcm'
const saltBytes = 16
const nonceBytes = 12
const tagBytes = 16
const entryBytes = 16

/** 128 MiB and about half a second for each guess. A file that asks for less was not written by us. */
const floor: Cost = { N: 2 ** 17, r: 8, p: 1 }
/** 1 GiB: what a planted file may not exceed. */
const cap: Cost = { N: 2 ** 20, r: 8, p: 4 }

/** A file of a thousand keys is smaller. */
export const mostKeyFileBytes = 64 * 1024

export function drawPassphraseLock(): Extract<KeyLock, { kind: 'passphrase' }> {
  return { kind: 'passphrase', cost: floor, salt: randomBytes(saltBytes) }
}

/** Names an entry that no keychain has yet. */
export function drawKeychainLock(): Extract<KeyLock, { kind: 'keychain' }> {
  return { kind: 'keychain', entry: randomBytes(entryBytes).toString('base64url') }
}

/** The same words typed on another system may be spelt in other code points. */
export function deriveOpener({ cost, salt }: Extract<KeyLock, { kind: 'passphrase' }>, passphrase: string): Promise<Buffer> {
  return deriveKey(passphrase.normalize('NFC'), salt, keyBytes, { ...cost, maxmem: 256 * cost.N * cost.r })
}

/** The nonce is drawn anew, so the same keys never give the same text twice. */
export function sealKeys(keys: readonly Buffer[], lock: KeyLock, opener: Buffer): string {
  const nonce = randomBytes(nonceBytes)
  const head = `${title}\n${writeLock(lock)} ${nonce.toString('base64url')}`
  const cipher = createCipheriv(cipherName, opener, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(head))
  const body = Buffer.concat([cipher.update(Buffer.concat(keys)), cipher.final(), cipher.getAuthTag()])
  return `${head}\n${body.toString('base64url')}\n`
}

/** Null for another opener and for a changed file alike: nothing tells the two apart. */
export function openKeys({ head, nonce, body }: SealedKeys, opener: Buffer): readonly Buffer[] | null {
  const decipher = createDecipheriv(cipherName, opener, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(head))
  decipher.setAuthTag(body.subarray(body.length - tagBytes))
  const keys = decipher.update(body.subarray(0, body.length - tagBytes))
  try {
    decipher.final()
  } catch {
    return null
  }
  return Array.from({ length: keys.length / keyBytes }, (_, at) => keys.subarray(at * keyBytes, (at + 1) * keyBytes))
}

/** Contract: does no work that the text asks for before it is within the bounds. */
export function readKeyText(text: string): KeyText {
  const form = /^(bridlewise keys (\d{1,3})\n(.{1,120}) ([\w-]{16}))\n([\w-]+)\n$/.exec(text)
  if (form === null) return { kind: 'not', problem: 'it is not a key file' }
  const [, head = '', version, spelled = '', nonce = '', sealed = ''] = form
  if (version !== '1') return { kind: 'not', problem: `it has version ${version}, and this program knows version 1` }
  const lock = readLock(spelled)
  if (lock === null) return { kind: 'not', problem: 'it is not a key file' }
  if (lock.kind === 'passphrase' && !isWithin(lock.cost)) {
    return { kind: 'not', problem: 'the cost that it names is not one that this program uses' }
  }
  const body = Buffer.from(sealed, 'base64url')
  if (body.toString('base64url') !== sealed || body.length <= tagBytes || (body.length - tagBytes) % keyBytes !== 0) {
    return { kind: 'not', problem: 'it was cut' }
  }
  return { kind: 'keys', sealed: { lock, head, nonce: Buffer.from(nonce, 'base64url'), body } }
}

function writeLock(lock: KeyLock): string {
  if (lock.kind === 'keychain') return `keychain ${lock.entry}`
  const { N, r, p } = lock.cost
  return `scrypt ${N} ${r} ${p} ${lock.salt.toString('base64url')}`
}

function readLock(spelled: string): KeyLock | null {
  const keychain = /^keychain ([\w-]{22})$/.exec(spelled)
  if (keychain) return { kind: 'keychain', entry: keychain[1] ?? '' }
  const passphrase = /^scrypt (\d{1,9}) (\d{1,3}) (\d{1,3}) ([\w-]{22})$/.exec(spelled)
  if (passphrase === null) return null
  const [, N, r, p, salt = ''] = passphrase
  return {
    kind: 'passphrase',
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
  }
}

const deriveKey = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

function isWithin({ N, r, p }: Cost): boolean {
  const powerOfTwo = Number.isInteger(Math.log2(N))
  return powerOfTwo && N >= floor.N && N <= cap.N && r >= floor.r && r <= cap.r && p >= floor.p && p <= cap.p
}
