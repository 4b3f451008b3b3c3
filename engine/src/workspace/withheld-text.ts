/**
 * The words of withheld files, to find them where they came another way: in what a command printed, in
 * what somebody pasted. Whole lines are found, and the values of settings; shorter and changed ones are not.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { viewText } from './text.ts'
import type { Withholding } from './withheld.ts'

/** A stretch of text that a withheld file holds. */
export interface WithheldWords {
  readonly words: string
  readonly path: string
  readonly rule: string
}

export interface WithheldFiles {
  readonly files: readonly { readonly path: string; readonly rule: string }[]
  readonly words: readonly WithheldWords[]
  /** False when a bound was met, a file could not be read, or it was stopped: there may be more files, or more words. */
  readonly complete: boolean
}

/** What is looked at, so that a run begins soon in any tree. */
export const withheldBounds = {
  entries: 50_000,
  files: 1_000,
  fileBytes: 1024 * 1024,
  words: 20_000,
  /** Characters of a line, and of a value behind `=` or `:`. Shorter ones stand in too many innocent texts. */
  line: 12,
  value: 8,
} as const

const skippedDirectories = new Set(['.git', 'node_modules'])

/**
 * Find the files below a directory that rules keep, and what they say.
 *
 * Ignored and hidden files too, for commands see these. Links are not followed. Contract: `reading` is
 * `names` for whoever only wants to see which files there are.
 */
export async function findWithheld(
  root: string,
  { rules, reading }: { readonly rules: Withholding; readonly reading: 'names' | 'words' },
  signal: AbortSignal,
): Promise<WithheldFiles> {
  const files: { path: string; rule: string }[] = []
  const words = new Map<string, WithheldWords>()
  const open: string[] = ['']
  let entries = 0
  let complete = true
  for (let directory = open.shift(); directory !== undefined && rules.paths; directory = open.shift()) {
    if (signal.aborted) return { files, words: [...words.values()], complete: false }
    for (const entry of await readEntries(join(root, directory))) {
      entries += 1
      if (entries > withheldBounds.entries || files.length >= withheldBounds.files)
        return { files, words: [...words.values()], complete: false }
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`
      if (entry.isDirectory() && !skippedDirectories.has(entry.name)) open.push(path)
      const rule = entry.isFile() ? rules.ofPath(path) : null
      if (rule === null) continue
      files.push({ path, rule })
      if (reading === 'words' && !(await readWords(root, { path, rule }, words))) complete = false
    }
  }
  return { files, words: [...words.values()], complete }
}

async function readEntries(directory: string) {
  // What cannot be read cannot be sent either.
  return readdir(directory, { withFileTypes: true }).catch(() => [])
}

/** Whether all of it was taken. */
async function readWords(
  root: string,
  { path, rule }: { path: string; rule: string },
  words: Map<string, WithheldWords>,
): Promise<boolean> {
  const text = await readText(join(root, path))
  if (text === null) return false
  for (const line of text.split(/\r\n|[\n\r]/)) {
    for (const found of wordsOf(line)) {
      if (words.size >= withheldBounds.words) return false
      if (!words.has(found)) words.set(found, { words: found, path, rule })
    }
  }
  return true
}

function wordsOf(line: string): string[] {
  const whole = line.trim()
  const value = /^[\w.\-"' ]{1,100}[=:]\s*["']?(.+?)["']?,?$/.exec(whole)?.[1] ?? ''
  return [...(whole.length >= withheldBounds.line ? [whole] : []), ...(value.length >= withheldBounds.value ? [value] : [])]
}

/** Null for what is not text, too large or unreadable. */
async function readText(path: string): Promise<string | null> {
  let file: FileHandle | null = null
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const { size } = await file.stat()
    if (size > withheldBounds.fileBytes) return null
    return viewText(await file.readFile())?.text ?? ''
  } catch {
    return null
  } finally {
    await file?.close()
  }
}
