/** The one-time code that lets whoever sits at this machine, and nobody else, make the first account. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashSecret, makeCode, matchesHash, readCode } from './secrets.ts'

export interface SetupCode {
  /** For the terminal. */
  readonly text: string
  matches(given: string): boolean
  /** Setup is done: the file goes. */
  remove(): void
}

/** Make a code, new at every start, and write it to `setup-code` in the data home, readable by its owner alone. */
export function createSetupCode(dataHome: string): SetupCode {
  const text = makeCode()
  removeSetupCode(dataHome)
  writeFileSync(pathIn(dataHome), `${text}\n`, { mode: 0o600, flag: 'wx' })
  const expected = hashSecret(text)
  return {
    text,
    matches: (given) => matchesHash(readCode(given), expected),
    remove: () => removeSetupCode(dataHome),
  }
}

/** Also for a file that a crash left behind after setup. */
export function removeSetupCode(dataHome: string): void {
  rmSync(pathIn(dataHome), { force: true })
}

function pathIn(dataHome: string): string {
  return join(dataHome, 'setup-code')
}
