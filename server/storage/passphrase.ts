/** What a passphrase must be that keys are put under. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

const leastLength = 12
/** More than anybody types; it bounds what is hashed before the cost does. */
export const mostPassphraseLength = 1024

/** Refuses: passphrase_unusable. */
export function judgePassphrase(passphrase: string): Result<'fit'> {
  const length = [...passphrase.normalize('NFC')].length
  if (length < leastLength) return bad(`it has fewer than ${leastLength} characters`)
  if (length > mostPassphraseLength) return bad(`it has more than ${mostPassphraseLength} characters`)
  return new Set(passphrase).size < 5 ? bad('it repeats the same few characters') : ok('fit')
}

function bad(problem: string) {
  return refuse('passphrase_unusable', { problem })
}
