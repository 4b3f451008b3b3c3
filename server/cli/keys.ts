/** `keys rotate`, `keys export`, `keys import`: what can be done with the key home. */
import { parseArgs } from 'node:util'
import type { Result } from '@bridlewise/shared/refusals'
import { readConfig } from '../index.ts'
import { exportKeys, type Homes, importKeys, type KeyFile, type Rotation, type Unlock } from '../storage/index.ts'
import { readNewPassphrase, readPassphrase } from './passphrase.ts'
import { printRefusal } from './print.ts'
import { openUnlocked, readUnlock } from './unlock.ts'

/** Milliseconds between two lines that say how far it is. */
const sayEveryMs = 1000

/** Exit code 0 when the old key is gone, 3 when something keeps it, 1 when nothing could be done. */
export async function keysRotate(environment: NodeJS.ProcessEnv): Promise<number> {
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const opened = await openUnlocked(config.value)
  if (!opened.ok) return printRefusal(opened.refusal)
  let said = performance.now()
  try {
    const rotated = await opened.value.rotateKeys({
      onProgress({ resealed }) {
        if (performance.now() - said < sayEveryMs) return
        said = performance.now()
        process.stderr.write(`${resealed} values sealed anew\n`)
      },
    })
    return rotated.ok ? report(rotated.value) : printRefusal(rotated.refusal)
  } finally {
    opened.value.close()
  }
}

function report({ active, resealed, unopened, removed, kept }: Rotation): number {
  const lines = [`Key ${active} seals now; ${resealed} values were sealed anew.`]
  if (unopened > 0) lines.push(`${unopened} values do not open in their place and were left as they are.`)
  for (const id of removed) lines.push(`Key ${id} was removed.`)
  for (const { id, because } of kept) lines.push(`Key ${id} was kept: ${because}.`)
  lines.push('Export the keys again: a file made before holds only the old ones.')
  process.stdout.write(`${lines.join('\n')}\n`)
  return unopened > 0 || kept.length > 0 ? 3 : 0
}

/** Exit code 0 when the file was written and read back. */
export async function keysExport(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  return transfer(environment, words, {
    readPassphrase: readNewPassphrase,
    run: exportKeys,
    say: (ids, path) =>
      `${countKeys(ids)} written to ${path} and read back. Keep the file and its passphrase apart from the data.`,
  })
}

/** Exit code 0 when the key home holds every key of the file. */
export async function keysImport(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  return transfer(environment, words, {
    readPassphrase,
    run: importKeys,
    say: ({ imported, present }, path) => `${countKeys(imported)} imported from ${path}, ${present.length} already there.`,
  })
}

interface Transfer<Done> {
  readonly readPassphrase: (file: string | undefined) => Promise<Result<string>>
  readonly run: (homes: Homes, file: KeyFile, unlock: Unlock) => Promise<Result<Done>>
  readonly say: (done: Done, path: string) => string
}

async function transfer<Done>(environment: NodeJS.ProcessEnv, words: readonly string[], how: Transfer<Done>): Promise<number> {
  const given = readWords(words)
  if (given === null) return 2
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const unlock = await readUnlock(config.value)
  if (!unlock.ok) return printRefusal(unlock.refusal)
  const passphrase = await how.readPassphrase(given.passphraseFile)
  if (!passphrase.ok) return printRefusal(passphrase.refusal)
  const done = await how.run(config.value.homes, { path: given.path, passphrase: passphrase.value }, unlock.value)
  if (!done.ok) return printRefusal(done.refusal)
  process.stdout.write(`${how.say(done.value, given.path)}\n`)
  return 0
}

/** Null for words that the command does not know. */
function readWords(words: readonly string[]): { readonly path: string; readonly passphraseFile: string | undefined } | null {
  try {
    const options = { 'passphrase-file': { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const [path] = positionals
    return path === undefined || positionals.length > 1 ? null : { path, passphraseFile: values['passphrase-file'] }
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function countKeys(ids: readonly string[]): string {
  return ids.length === 1 ? `1 key (${ids[0]})` : `${ids.length} keys`
}
