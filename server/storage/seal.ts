/**
 * Sealed values: AES-256-GCM bound to the cell that they stand in.
 *
 * Layout: version (1 byte), key id (8), nonce (12), ciphertext, tag (16). The associated data names
 * format, key, table, column, row, parent and owner, each with its length before it, so a value that
 * was moved, cut, relabelled or written by an older format does not open.
 */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import { StorageFault } from './fault.ts'
import { createRandomPool } from './random.ts'

/** Where a value stands. `parent` is what the row hangs on (its chat, its run), or empty. */
export interface Cell {
  readonly table: string
  readonly column: string
  readonly row: string
  readonly parent: string
  readonly owner: string
}

export interface Seal {
  seal(cell: Cell, text: string): Buffer
  /** Contract: no byte leaves before the tag was checked. Throws `sealed_value_tampered`. */
  open(cell: Cell, value: unknown): string
  /** New values are sealed with this key from now on; those of the others still open. */
  useKey(id: string, key: Buffer): void
}

export interface Keyring {
  /** Id of the key that new values are sealed with. */
  readonly active: string
  /** 32 bytes each, by id. */
  readonly keys: ReadonlyMap<string, Buffer>
}

const version = 1
const keyIdBytes = 8
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + keyIdBytes + nonceBytes

/** `count` is called with the key's id for each value that is sealed. */
export function createSeal(ring: Keyring, count: (keyId: string) => void = () => undefined): Seal {
  // As key objects: handed over as bytes, each value would pay three times its sealing to import the key.
  const keys = new Map([...ring.keys].map(([id, bytes]) => [id, prepareKey(id, bytes)]))
  let active = activate(ring.active)
  const drawNonce = createRandomPool(nonceBytes)

  function activate(id: string) {
    const known = keys.get(id)
    if (known === undefined) throw new Error('the active key is not in the ring')
    return { ...known, id, mark: markOf(id) }
  }

  return {
    seal(cell, text) {
      const nonce = drawNonce()
      const cipher = createCipheriv('aes-256-gcm', active.key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(associate(active.label, cell))
      const body = cipher.update(text, 'utf8')
      cipher.final()
      count(active.id)
      return Buffer.concat([active.mark, nonce, body, cipher.getAuthTag()])
    },
    useKey(id, key) {
      keys.set(id, prepareKey(id, key))
      active = activate(id)
    },
    open(cell, value) {
      if (!Buffer.isBuffer(value) || value.length < headBytes + tagBytes || value[0] !== version) throw tampered(cell)
      const keyId = value.toString('hex', 1, 1 + keyIdBytes)
      const known = keys.get(keyId)
      if (known === undefined) throw tampered(cell)
      const decipher = createDecipheriv('aes-256-gcm', known.key, value.subarray(1 + keyIdBytes, headBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(associate(known.label, cell))
      decipher.setAuthTag(value.subarray(value.length - tagBytes))
      const body = decipher.update(value.subarray(headBytes, value.length - tagBytes))
      try {
        decipher.final()
      } catch (error) {
        throw tampered(cell, error)
      }
      return body.toString('utf8')
    },
  }
}

/** What every value begins with that the key sealed. */
export function markOf(keyId: string): Buffer {
  return Buffer.from([version, ...Buffer.from(keyId, 'hex')])
}

/** The key as the cipher takes it, and the part of the associated data that is the same for all it seals. */
function prepareKey(id: string, bytes: Buffer) {
  return { key: createSecretKey(bytes), label: part(`sealed ${version}`) + part(id) }
}

function associate(label: string, cell: Cell): Buffer {
  return Buffer.from(label + part(cell.table) + part(cell.column) + part(cell.row) + part(cell.parent) + part(cell.owner))
}

function part(text: string): string {
  return `${Buffer.byteLength(text)}:${text}`
}

function tampered(cell: Cell, cause?: unknown): StorageFault {
  return new StorageFault('sealed_value_tampered', { table: cell.table, column: cell.column, row: cell.row }, cause)
}
