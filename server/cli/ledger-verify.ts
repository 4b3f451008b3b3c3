/** `ledger verify`: walk the chain of a data home that no server uses. */
import { parseArgs } from 'node:util'
import { timeline } from '@bridlewise/shared'
import { readConfig } from '../index.ts'
import { printRefusal } from './print.ts'
import { openUnlocked } from './unlock.ts'

/**
 * Prints one line of JSON, with a receipt to keep elsewhere. `--head` takes such a receipt.
 *
 * Exit code 0 when the chain holds, 3 when it does not, 1 when it could not be read, 2 for words that it does not know.
 */
export async function ledgerVerify(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  const noted = readWords(words)
  if (noted === null) return 2
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const opened = await openUnlocked(config.value)
  if (!opened.ok) return printRefusal(opened.refusal)
  const store = opened.value
  try {
    const verification = await store.ledger.verify(undefined, noted.head)
    process.stdout.write(`${JSON.stringify(verification)}\n`)
    return verification.valid ? 0 : 3
  } finally {
    store.close()
  }
}

function readWords(words: readonly string[]): { readonly head?: string | undefined } | null {
  try {
    const { values } = parseArgs({ args: [...words], options: { head: { type: 'string' } } })
    const input = timeline.operations.verify.input.safeParse({ ...values })
    return input.success ? input.data : null
  } catch {
    // What `parseArgs` throws: options that it does not know.
    return null
  }
}
