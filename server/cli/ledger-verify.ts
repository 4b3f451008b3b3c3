/** `ledger verify`: walk the chain of a data home that no server uses. */
import { readConfig } from '../index.ts'
import { printRefusal } from './print.ts'
import { openUnlocked } from './unlock.ts'

/** Prints one line of JSON. Exit code 0 when the chain holds, 3 when it does not, 1 when it could not be read. */
export async function ledgerVerify(environment: NodeJS.ProcessEnv): Promise<number> {
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const opened = await openUnlocked(config.value)
  if (!opened.ok) return printRefusal(opened.refusal)
  const store = opened.value
  try {
    const verification = await store.ledger.verify(new AbortController().signal)
    process.stdout.write(`${JSON.stringify(verification)}\n`)
    return verification.valid ? 0 : 3
  } finally {
    store.close()
  }
}
