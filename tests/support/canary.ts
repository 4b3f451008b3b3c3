/** Words that must stand in no file, and the search for them in every form that a program might leave them in. */
import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Letters and digits, so that no form of JSON or of a path changes it. */
export function makeCanary(): string {
  return `canary${randomBytes(12).toString('hex')}`
}

/** The forms of a text, each with its name: plain, both kinds of UTF-16, hexadecimal, base 64 at each of its three places. */
export function formsOf(canary: string): ReadonlyMap<string, Buffer> {
  const plain = Buffer.from(canary)
  const wide = Buffer.from(canary, 'utf16le')
  const forms = new Map([
    ['utf-8', plain],
    ['utf-16le', wide],
    ['utf-16be', Buffer.from(wide).swap16()],
    ['hex', Buffer.from(plain.toString('hex'))],
    ['HEX', Buffer.from(plain.toString('hex').toUpperCase())],
  ])
  for (const lead of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(lead), plain]).toString('base64')
    // The first and the last group mix with what stands beside it.
    forms.set(`base64 at ${lead}`, Buffer.from(text.slice(4, -4)))
  }
  return forms
}

/** Every regular file below the directories that holds one of the forms: `name (form)`. */
export function findForms(directories: readonly string[], forms: ReadonlyMap<string, Buffer>): string[] {
  return directories.flatMap(listFiles).flatMap((file) => {
    const bytes = readFileSync(file)
    return [...forms].flatMap(([form, text]) => (bytes.includes(text) ? [`${path.basename(file)} (${form})`] : []))
  })
}

function listFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile())
}
