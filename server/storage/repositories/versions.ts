/**
 * Contents of files that runs changed, each kept once a chat, so that a rewind can bring them back.
 *
 * A content is found by a keyed digest of it: whoever reads the database cannot try out which files it knows.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { makeId } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { Owner } from '../pages.ts'
import type { Cell } from '../seal.ts'
import { cellIn, type SealedColumn } from '../sealed-column.ts'
import type { Installation } from './installation.ts'

export interface VersionDraft {
  readonly chatId: string
  /** SHA-256 of `bytes`, in hex. */
  readonly digest: string
  readonly bytes: Uint8Array
  readonly createdAt: number
}

export interface Versions {
  /** Durable when it returns. `known` when the chat has this content already. */
  put(owner: Owner, draft: VersionDraft): 'new' | 'known'
  /** Null for what was never kept, or was removed by retention or with its chat. */
  get(owner: Owner, chatId: string, digest: string): Uint8Array | null
  /** Whether `get` would give it. */
  has(owner: Owner, chatId: string, digest: string): boolean
  drop(owner: Owner, chatId: string, digest: string): void
}

export const versionContent: SealedColumn = {
  table: 'versions',
  column: 'content',
  row: 'id',
  parent: 'chatId',
  owner: 'userId',
}

export function createVersions({ database, seal }: StoreContext, installation: Installation): Versions {
  const insert = database.prepare<[string, string, string, string, number, Buffer, number]>(
    'INSERT INTO versions (id, userId, chatId, name, bytes, content, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const ofChat = 'chatId = ? AND name = ? AND userId = ?'
  const find = database.prepare<[string, string, string], { id: string }>(
    `SELECT id FROM versions WHERE ${ofChat} AND NOT EXISTS (SELECT 1 FROM remains WHERE kind = 'version' AND remains.id = versions.id)`,
  )
  const read = database.prepare<[string], { content: Buffer }>(
    'SELECT content FROM versions WHERE id = ? AND EXISTS (SELECT 1 FROM chats WHERE chats.id = chatId)',
  )
  const remove = database.prepare<[string, string, string]>(`DELETE FROM versions WHERE ${ofChat}`)

  const nameOf = ({ userId }: Owner, digest: string) =>
    createHmac('sha256', Buffer.from(keyOf(installation), 'base64url'))
      .update(`${userId}\n${digest}`)
      .digest('hex')

  return {
    put: (owner, { chatId, digest, bytes, createdAt }) =>
      database.transaction(() => {
        const name = nameOf(owner, digest)
        if (find.get(chatId, name, owner.userId) !== undefined) return 'known'
        // One that retention has marked goes now, and the content comes anew.
        remove.run(chatId, name, owner.userId)
        const id = makeId('version', createdAt, randomBytes(16))
        const content = seal.seal(cellOf(owner, id, chatId), toText(bytes))
        insert.run(id, owner.userId, chatId, name, bytes.byteLength, content, createdAt)
        return 'new'
      }),
    get(owner, chatId, digest) {
      const row = find.get(chatId, nameOf(owner, digest), owner.userId)
      const found = row && read.get(row.id)
      return row && found ? fromText(seal.open(cellOf(owner, row.id, chatId), found.content)) : null
    },
    has(owner, chatId, digest) {
      const row = find.get(chatId, nameOf(owner, digest), owner.userId)
      return row !== undefined && read.get(row.id) !== undefined
    },
    drop: (owner, chatId, digest) => void remove.run(chatId, nameOf(owner, digest), owner.userId),
  }
}

function keyOf(installation: Installation): string {
  const known = installation.get('versionKey')
  if (known !== null) return known
  const key = randomBytes(32).toString('base64url')
  installation.set('versionKey', key)
  return key
}

/** Text is sealed as it is, other bytes in base64; the first character says which. */
function toText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  return Buffer.from(text).equals(buffer) ? `t${text}` : `b${buffer.toString('base64')}`
}

function fromText(text: string): Uint8Array {
  return Buffer.from(text.slice(1), text[0] === 'b' ? 'base64' : 'utf8')
}

function cellOf(owner: Owner, row: string, parent: string): Cell {
  return cellIn(versionContent, { row, parent, owner: owner.userId })
}
