/** How a command is told a passphrase: typed where nobody sees it, or read from a file. Never a word or a variable. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

/** Whose passphrase is asked for. */
export type Asked = 'Passphrase' | 'Passphrase of the key home' | 'New passphrase of the key home'

/**
 * Refuses: passphrase_unusable, also when nobody can be asked.
 *
 * `file` may be `/dev/stdin` or `/dev/fd/3`; its first line counts.
 */
export async function readPassphrase(file: string | undefined, asked: Asked = 'Passphrase'): Promise<Result<string>> {
  if (file !== undefined) return readFromFile(file)
  if (!process.stdin.isTTY) return bad('there is no terminal to type it at; name a file with --passphrase-file')
  return ask(`${asked}: `)
}

/** As `readPassphrase`, typed twice: a slip would lock the file for good. */
export async function readNewPassphrase(file: string | undefined, asked: Asked = 'Passphrase'): Promise<Result<string>> {
  const first = await readPassphrase(file, asked)
  if (!first.ok || file !== undefined) return first
  const again = await ask('The same again: ')
  if (!again.ok) return again
  return again.value === first.value ? first : bad('the two were not the same')
}

/** As `readPassphrase` does with a file. */
export function readFromFile(path: string): Result<string> {
  try {
    const file = descriptorOf(path) ?? openSync(path, 'r')
    try {
      const stat = fstatSync(file)
      if (stat.isFile() && (stat.mode & 0o077) !== 0) return bad(`others can read ${path}; run: chmod 600 ${path}`)
      const [line = ''] = readFileSync(file, 'utf8').split(/\r?\n/, 1)
      return line === '' ? bad(`the first line of ${path} is empty`) : ok(line)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return bad(`${path} cannot be read (${String(error.code)})`)
    throw error
  }
}

/** A descriptor that is open already cannot always be opened by its name: a socket has none. */
function descriptorOf(path: string): number | null {
  if (path === '/dev/stdin') return 0
  const number = /^\/dev\/fd\/(\d{1,4})$/.exec(path)?.[1]
  return number === undefined ? null : Number(number)
}

/** What is typed is not shown: readline writes it to a stream that drops it. */
async function ask(prompt: string): Promise<Result<string>> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(prompt)
  const gone = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)))
  const typed = await Promise.race([terminal.question(''), gone])
  terminal.close()
  process.stderr.write('\n')
  return typed === null || typed === '' ? bad('none was typed') : ok(typed)
}

function bad(problem: string) {
  return refuse('passphrase_unusable', { problem })
}
