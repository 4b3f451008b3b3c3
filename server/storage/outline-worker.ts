/** A thread that takes the outline of one database and answers with it. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Outline, readOutline } from './outline.ts'
import { openReader, sqliteCode } from './reader.ts'

parentPort?.postMessage(take(String(workerData)))

function take(path: string): Outline | 'unreadable' {
  try {
    const reader = openReader(path)
    try {
      return readOutline(reader, path)
    } finally {
      reader.close()
    }
  } catch (error) {
    if (sqliteCode(error) !== null) return 'unreadable'
    throw error
  }
}
