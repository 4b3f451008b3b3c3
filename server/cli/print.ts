/** How the command line says no. */
import type { Refusal } from '@bridlewise/shared/refusals'

/** Print a refusal for a person, with its code for a script. Gives the exit code. */
export function printRefusal(refusal: Refusal): number {
  process.stderr.write(`${refusal.message} [${refusal.code}]\n`)
  return 1
}
