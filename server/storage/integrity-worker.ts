/** A thread that reads the database table by table and answers with the first damage, or null. */
import { parentPort, workerData } from 'node:worker_threads'
import { findDamage, nameDamage } from './damage.ts'
import { openReader } from './reader.ts'

parentPort?.postMessage(readAll(String(workerData)))

function readAll(path: string): string | null {
  try {
    const reader = openReader(path)
    const tables = reader.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    for (const { name } of tables) {
      const problem = findDamage(reader, name)
      if (problem !== null) return problem
    }
    reader.close()
    return null
  } catch (error) {
    return nameDamage(error)
  }
}
