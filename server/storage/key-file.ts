/**
 * Keys in a file that a passphrase opens, to be carried or kept elsewhere.
 *
 * Three lines of text: `bridlewise keys 1`; `scrypt`, N, r, p, salt and nonce; and the keys, one after
 * the other, sealed with AES-256-GCM, tag at the end. The first two lines are the associated data: who
 * changes the format, the cost or the salt gets a file that does not open. Bytes are base64url.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { keyBytes } from './key-home.ts'

/** What a key file says before it is opened, or why it is none. */
export type KeyText = { readonly kind: 'keys'; readonly sealed: Sealed } | { readonly kind: 'not'; readonly problem: string }

interface Sealed {
  /** The first two lines, as they stand in the file. */
  readonly head: string
  readonly cost: Cost
  readonly salt: Buffer
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

/** 128 MiB and about half a second for each guess. A file that asks for less was not written by us. */
const floor: Cost = { N: 2 ** 17, r: 8, p: 1 }
/** 1 GiB: what a planted file may not exceed. */
const cap: Cost = { N: 2 ** 20, r: 8, p: 4 }

/** Salt and nonce are drawn anew, so the same keys never give the same text twice. */
export async function writeKeyText(keys: readonly Buffer[], passphrase: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const nonce = randomBytes(nonceBytes)
  const { N, r, p } = floor
  const head = `${title}\nscrypt ${N} ${r} ${p} ${salt.toString('base64url')} ${nonce.toString('base64url')}`
  const cipher = createCipheriv(cipherName, await derive(passphrase, salt, floor), nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(head))
  const body = Buffer.concat([cipher.update(Buffer.concat(keys)), cipher.final(), cipher.getAuthTag()])
  return `${head}\n${body.toString('base64url')}\n`
}

/** Contract: does no work that the text asks for before it is within the bounds. */
export function readKeyText(text: string): KeyText {
  const form = /^(bridlewise keys (\d{1,3})\nscrypt (\d{1,9}) (\d{1,3}) (\d{1,3}) ([\w-]{22}) ([\w-]{16}))\n([\w-]+)\n$/.exec(
    text,
  )
  if (form === null) return { kind: 'not', problem: 'it is not a key file' }
  const [, head = '', version, N, r, p, salt = '', nonce = '', sealed = ''] = form
  if (version !== '1') return { kind: 'not', problem: `it has version ${version}, and this program knows version 1` }
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  if (!isWithin(cost)) return { kind: 'not', problem: 'the cost that it names is not one that this program uses' }
  const body = Buffer.from(sealed, 'base64url')
  if (body.toString('base64url') !== sealed || body.length <= tagBytes || (body.length - tagBytes) % keyBytes !== 0) {
    return { kind: 'not', problem: 'it was cut' }
  }
  const bytes = { salt: Buffer.from(salt, 'base64url'), nonce: Buffer.from(nonce, 'base64url'), body }
  return { kind: 'keys', sealed: { head, cost, ...bytes } }
}

/** Null for another passphrase and for a changed file alike: nothing tells the two apart. */
export async function openKeyText(sealed: Sealed, passphrase: string): Promise<readonly Buffer[] | null> {
  const { head, cost, salt, nonce, body } = sealed
  const decipher = createDecipheriv(cipherName, await derive(passphrase, salt, cost), nonce, { authTagLength: tagBytes })
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

/** The same words typed on another system may be spelt in other code points. */
function derive(passphrase: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  return deriveKey(passphrase.normalize('NFC'), salt, keyBytes, { ...cost, maxmem: 256 * cost.N * cost.r })
}

const deriveKey = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

function isWithin({ N, r, p }: Cost): boolean {
  const powerOfTwo = Number.isInteger(Math.log2(N))
  return powerOfTwo && N >= floor.N && N <= cap.N && r >= floor.r && r <= cap.r && p >= floor.p && p <= cap.p
}
