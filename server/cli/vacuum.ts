/** `vacuum`: give the room of what was deleted back to the disk, with the server stopped. */
import { readConfig } from '../index.ts'
import { openStore, vacuumStore } from '../storage/index.ts'
import { printRefusal } from './print.ts'
import { readUnlock } from './unlock.ts'

/** Exit code 0 when the database was written anew, 1 when that was refused. */
export async function vacuum(environment: NodeJS.ProcessEnv): Promise<number> {
  process.umask(0o077)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const unlock = await readUnlock(config.value)
  if (!unlock.ok) return printRefusal(unlock.refusal)
  const opened = await openStore(config.value.homes, Date.now, unlock.value)
  if (!opened.ok) return printRefusal(opened.refusal)
  try {
    const done = await vacuumStore(opened.value)
    if (!done.ok) return printRefusal(done.refusal)
    const { before, after } = done.value
    process.stdout.write(`The database had ${before} bytes and has ${after}. Nothing deleted is left in it or in its log.\n`)
    return 0
  } finally {
    opened.value.close()
  }
}
