/** The least that a chained and sealed ledger can cost: one table, one hash and one seal a row, and nothing checked. */
import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes, randomFillSync } from 'node:crypto'
import Database from 'better-sqlite3'

interface Row {
  readonly seq: number
  readonly previous: string
  readonly hash: string
  readonly sealed: Buffer
}

export interface ChainBound {
  /** Appends `count` rows in one durable commit. */
  append(count: number): void
  /** Opens and hashes every row. Gives how many there are. */
  verify(): number
  close(): void
}

export function createChainBound(path: string, body: string): ChainBound {
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec('CREATE TABLE rows (seq INTEGER PRIMARY KEY, previous TEXT, hash TEXT, sealed BLOB)')
  const insert = database.prepare('INSERT INTO rows (seq, previous, hash, sealed) VALUES (?, ?, ?, ?)')
  const after = database.prepare<[number], Row>('SELECT * FROM rows WHERE seq > ? ORDER BY seq LIMIT 500')
  const key = createSecretKey(randomBytes(32))
  const nonces = Buffer.alloc(12 * 1024)
  let head = { seq: 0, hash: '' }

  const link = (previous: string, seq: number, text: string) => hash('sha256', `${previous}\n${seq}\n${text}`, 'hex')

  function add(): void {
    const at = (head.seq % 1024) * 12
    if (at === 0) randomFillSync(nonces)
    const nonce = nonces.subarray(at, at + 12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const sealed = cipher.update(body, 'utf8')
    cipher.final()
    const next = { seq: head.seq + 1, hash: link(head.hash, head.seq + 1, body) }
    insert.run(next.seq, head.hash, next.hash, Buffer.concat([nonce, sealed, cipher.getAuthTag()]))
    head = next
  }

  function open(sealed: Buffer): string {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
    decipher.setAuthTag(sealed.subarray(-16))
    const text = decipher.update(sealed.subarray(12, -16))
    decipher.final()
    return text.toString()
  }

  return {
    append: database.transaction((count: number) => {
      for (let row = 0; row < count; row += 1) add()
    }),
    verify() {
      let last = { seq: 0, hash: '' }
      for (;;) {
        const rows = after.all(last.seq)
        for (const row of rows) {
          if (row.previous !== last.hash || link(row.previous, row.seq, open(row.sealed)) !== row.hash) throw new Error('broken')
          last = row
        }
        if (rows.length < 500) return last.seq
      }
    },
    close: () => void database.close(),
  }
}
