/** What opens the key home for a command: nothing, the file that the configuration names, or what is typed. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Config } from '../index.ts'
import { openStore, readProtection, type Store, type Unlock } from '../storage/index.ts'
import { readFromFile, readPassphrase } from './passphrase.ts'

/**
 * Ask for the passphrase where one is needed.
 *
 * Refuses: key_home_unsafe, passphrase_unusable, and key_home_locked when nobody can be asked.
 */
export async function readUnlock(config: Config): Promise<Result<Unlock>> {
  const read = readUnlockFile(config)
  if (!read.ok) return read
  if (read.value !== null) return ok(read.value)
  if (!process.stdin.isTTY) return refuse('key_home_locked')
  const passphrase = await readPassphrase(undefined, 'Passphrase of the key home')
  return passphrase.ok ? ok({ passphrase: passphrase.value }) : passphrase
}

/**
 * Open the store for a command that is alone with it.
 *
 * Refuses: what `readUnlock` and `openStore` refuse.
 */
export async function openUnlocked(config: Config): Promise<Result<Store>> {
  const unlock = await readUnlock(config)
  return unlock.ok ? openStore(config.homes, Date.now, unlock.value) : unlock
}

/**
 * The same as `readUnlock`, without asking: null when a passphrase is needed and no file holds it.
 *
 * Contract: the file is not looked at where no passphrase is needed.
 * Refuses: key_home_unsafe, passphrase_unusable.
 */
export function readUnlockFile({ homes, passphraseFile }: Config): Result<Unlock | null> {
  const protection = readProtection(homes.keys)
  if (!protection.ok) return protection
  if (protection.value !== 'passphrase') return ok({})
  if (passphraseFile === null) return ok(null)
  const passphrase = readFromFile(passphraseFile)
  return passphrase.ok ? ok({ passphrase: passphrase.value }) : passphrase
}
