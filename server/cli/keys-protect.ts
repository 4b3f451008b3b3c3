/** `keys protect`, `keys unprotect`, `keys keychain on|off`: what stands between a reader of the key home and the keys. */
import { parseArgs } from 'node:util'
import type { Result } from '@bridlewise/shared/refusals'
import { type Config, readConfig } from '../index.ts'
import { type Protected, protectKeys, protectKeysByKeychain, type Unlock, unprotectKeys } from '../storage/index.ts'
import { readNewPassphrase } from './passphrase.ts'
import { printRefusal } from './print.ts'
import { readUnlock } from './unlock.ts'

/** Exit code 0 when the keys are under the new passphrase, 1 when nothing was changed, 2 for other words. */
export async function keysProtect(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const file = readPassphraseFile(words)
  if (file === null) return 2
  return change(environment, {
    run: async ({ homes }, unlock) => {
      const passphrase = await readNewPassphrase(file.path, 'New passphrase of the key home')
      return passphrase.ok ? protectKeys(homes, passphrase.value, unlock) : passphrase
    },
    say: ({ before }) =>
      `${before === 'passphrase' ? 'The passphrase was changed.' : 'The keys are under the passphrase.'} A start waits for it now. ` +
      'Without it, and without an exported key file, nothing can be read again.',
  })
}

/** Exit code 0 when the keys lie in the clear again. */
export async function keysUnprotect(environment: NodeJS.ProcessEnv): Promise<number> {
  return change(environment, {
    run: ({ homes }, unlock) => unprotectKeys(homes, 'passphrase', unlock),
    say: () => 'The keys lie in the key home in the clear again. A start needs no passphrase.',
  })
}

/** Exit code 0 when the keys are where the word says: `on` the keychain of the system, `off` in the key home. */
export async function keysKeychain(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const [word] = words
  if (words.length !== 1 || (word !== 'on' && word !== 'off')) return 2
  if (word === 'off') {
    return change(environment, {
      run: ({ homes }, unlock) => unprotectKeys(homes, 'keychain', unlock),
      say: () => 'The keys lie in the key home in the clear again, and the entry of the keychain was removed.',
    })
  }
  return change(environment, {
    run: ({ homes }, unlock) => protectKeysByKeychain(homes, unlock),
    say: () =>
      'An entry of the keychain of this system opens the key home now. Keep an exported key file: a lost keychain opens nothing.',
  })
}

interface Change {
  readonly run: (config: Config, unlock: Unlock) => Promise<Result<Protected>>
  readonly say: (done: Protected) => string
}

async function change(environment: NodeJS.ProcessEnv, { run, say }: Change): Promise<number> {
  process.umask(0o077)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const unlock = await readUnlock(config.value)
  if (!unlock.ok) return printRefusal(unlock.refusal)
  const done = await run(config.value, unlock.value)
  if (!done.ok) return printRefusal(done.refusal)
  process.stdout.write(`${say(done.value)}\n`)
  return 0
}

/** Null for words that the command does not know. */
function readPassphraseFile(words: readonly string[]): { readonly path: string | undefined } | null {
  try {
    const { values } = parseArgs({ args: [...words], options: { 'passphrase-file': { type: 'string' } } })
    return { path: values['passphrase-file'] }
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}
