/** Random bytes in small pieces, drawn from the system many at a time: one draw a piece costs a third of a seal. */
import { randomFillSync } from 'node:crypto'

/** Contract: a piece is handed out once. It is a view that is overwritten about a thousand pieces later: use it at once. */
export function createRandomPool(pieceBytes: number): () => Buffer {
  const pool = Buffer.alloc(pieceBytes * 1024)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += pieceBytes
    return pool.subarray(used - pieceBytes, used)
  }
}
