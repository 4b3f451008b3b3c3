/** `backup` and `restore`: the database as one file, out and in. */
import { resolve } from 'node:path'
import { readConfig } from '../index.ts'
import { backUpStore, restoreStore } from '../storage/index.ts'
import { printRefusal } from './print.ts'
import { readUnlock } from './unlock.ts'

/** Exit code 0 when the backup lies there, 1 when it was refused, 2 without a file. */
export async function backup(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const [file] = words
  if (file === undefined || words.length > 1) return 2
  process.umask(0o077)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const { homes } = config.value
  const made = await backUpStore(homes, resolve(file))
  if (!made.ok) return printRefusal(made.refusal)
  const { path, bytes, head, beside } = made.value
  process.stdout.write(
    `Backed up to ${path} (${bytes} bytes, ${beside ? 'beside the running server' : 'no server was running'}).\n` +
      `Ledger: ${head?.seq ?? 0} entries, head ${head?.hash ?? 'none'}. Note the head down.\n` +
      `The keys are not in it. Keep a copy of the key home apart from it: ${homes.keys}\n`,
  )
  return 0
}

/** Exit code 0 when the backup is in place, 1 when it was refused and nothing changed, 2 without a file. */
export async function restore(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const [file] = words
  if (file === undefined || words.length > 1) return 2
  process.umask(0o077)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const unlock = await readUnlock(config.value)
  if (!unlock.ok) return printRefusal(unlock.refusal)
  const restored = await restoreStore(config.value.homes, resolve(file), { unlock: unlock.value })
  if (!restored.ok) return printRefusal(restored.refusal)
  const { entries, head, movedTo, revokedTokens } = restored.value
  process.stdout.write(
    `Restored ${resolve(file)}: ${entries} ledger entries, head ${head ?? 'none'}; the ledger verifies.\n` +
      `${movedTo === null ? 'There was no database before.' : `What was there lies in ${movedTo}`}\n` +
      `Everybody signs in again. Access tokens revoked: ${revokedTokens}.\n`,
  )
  return 0
}
