/** The walk over a tree: every visible file in a fixed order, a count of everything else, and the event loop left alone. */
import { closeSync, type Dirent, lstatSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { Skipped } from '@bridlewise/shared/wire'
import { type FileContent, readEntry } from './content.ts'
import { entryOf, openChild, openDirectory, type RootPin } from './descent.ts'
import { findRules, IgnoreRules } from './ignore-rules.ts'
import { findSkip, readEntries } from './listing.ts'
import { joinPath } from './path.ts'
import { SkipTally } from './skips.ts'
import { type TextView, viewText } from './text.ts'
import type { Withholding } from './withheld.ts'

export interface WalkRequest {
  /** The directory to start in; the root unless said. */
  readonly under?: string
  /** Most files that are yielded; the rest is counted under `limit`. */
  readonly maxFiles?: number
}

interface WalkedFile {
  /** In normal form, from the root. */
  readonly path: string
  readonly bytes: number
  /** What changes whenever the content does: the file system's own marks of the file. */
  readonly stamp: string
  /** When the file came into being, in milliseconds since 1970. */
  readonly bornAt: number

  /**
   * Read this file whole, from the directory the walk still holds.
   *
   * Contract: valid until the walk is asked for its next file. Null for one over `limit` bytes or unreadable.
   */
  readBytes(limit: number): FileContent | null

  /**
   * Read this file as text, from the directory the walk still holds.
   *
   * Contract: valid until the walk is asked for its next file. Null for a file that is binary, over
   * `limit` bytes or unreadable, which is then counted as skipped.
   */
  readText(limit: number): (TextView & Pick<FileContent, 'digest'>) | null
}

/**
 * A walk under way.
 *
 * Contract: iterate it once. The iteration throws the signal's reason when it is aborted, and holds no
 * descriptor once it has ended or was left. `skipped` and `refusal` tell the whole story afterwards.
 */
export interface Walk extends AsyncIterable<WalkedFile> {
  skipped(): Skipped[]
  /** Why there was nothing to walk, or null. */
  refusal(): Refusal | null
}

/** Entries looked at, and bytes read, between two turns of the event loop. */
const entriesPerTurn = 512
const bytesPerTurn = 2 * 1024 * 1024

/** Deeper directories are counted under `limit`: each level holds a descriptor. */
const maxDepth = 100
const defaultMaxFiles = 200_000

export function walkTree(pin: RootPin, request: WalkStart, signal?: AbortSignal): Walk {
  return new TreeWalk(pin, request, signal)
}

/** A request whose start was already brought to normal form, or refused. */
export interface WalkStart {
  readonly under: Result<string>
  readonly withheld: Withholding
  readonly maxFiles?: number
}

interface Level {
  readonly fd: number
  readonly path: string
  readonly rules: IgnoreRules
  readonly entries: Iterator<Dirent>
}

class TreeWalk implements Walk {
  readonly #pin: RootPin
  readonly #start: WalkStart
  readonly #signal: AbortSignal | undefined
  readonly #skips = new SkipTally()
  #refusal: Refusal | null = null
  #credit = entriesPerTurn
  #byteCredit = bytesPerTurn

  constructor(pin: RootPin, start: WalkStart, signal: AbortSignal | undefined) {
    this.#pin = pin
    this.#start = start
    this.#signal = signal
  }

  skipped(): Skipped[] {
    return this.#skips.list()
  }

  refusal(): Refusal | null {
    return this.#refusal
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WalkedFile> {
    const first = this.#enterStart()
    if (!first.ok) {
      this.#refusal = first.refusal
      return
    }
    const maxFiles = this.#start.maxFiles ?? defaultMaxFiles
    const levels: Level[] = [first.value]
    let yielded = 0
    try {
      for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
        const next = level.entries.next()
        if (next.done) {
          levels.pop()
          closeSync(level.fd)
          continue
        }
        await this.#takeTurn()
        const found = this.#judge(level, next.value, levels.length)
        if (found === null) continue
        if ('fd' in found) levels.push(found)
        else if (yielded >= maxFiles) this.#skips.add('limit')
        else {
          yielded += 1
          yield found
        }
      }
    } finally {
      for (const level of levels) closeSync(level.fd)
    }
  }

  #enterStart(): Result<Level> {
    const { under } = this.#start
    if (!under.ok) return under
    const rules = findRules(this.#pin, under.value)
    if (!rules.ok) return rules
    const fd = openDirectory(this.#pin, under.value)
    if (!fd.ok) return fd
    return { ok: true, value: openLevel(fd.value, under.value, rules.value) }
  }

  /** The file to yield, the directory to enter, or null for what is skipped. */
  #judge(level: Level, entry: Dirent, depth: number): WalkedFile | Level | null {
    const reason = findSkip(entry, level.rules) ?? (entry.isSymbolicLink() ? 'link' : null)
    if (reason !== null) return this.#skip(reason)
    const path = joinPath(level.path, entry.name)
    if (entry.isDirectory()) {
      if (depth >= maxDepth) return this.#skip('limit')
      const fd = openChild(level.fd, entry.name, path)
      return fd.ok ? openLevel(fd.value, path, new IgnoreRules(fd.value, path, level.rules)) : this.#skip('unreadable')
    }
    const stats = entry.isFile() ? lstatSync(entryOf(level.fd, entry.name), { throwIfNoEntry: false }) : undefined
    if (stats === undefined) return this.#skip('unreadable')
    const file = { name: entry.name, path }
    return {
      path,
      bytes: stats.size,
      stamp: `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`,
      bornAt: stats.birthtimeMs,
      readBytes: (limit) => this.#readBytes(level, file, limit),
      readText: (limit) => this.#readText(level, file, limit),
    }
  }

  #readBytes(level: Level, { name, path }: { name: string; path: string }, limit: number): FileContent | null {
    const content = readEntry(level.fd, name, { path, limit })
    if (!content.ok) return null
    this.#byteCredit -= content.value.bytes.byteLength
    return content.value
  }

  #readText(level: Level, { name, path }: { name: string; path: string }, limit: number): ReturnType<WalkedFile['readText']> {
    if (this.#start.withheld.ofPath(path) !== null) return this.#skip('withheld')
    const content = readEntry(level.fd, name, { path, limit })
    if (!content.ok) return this.#skip(content.refusal.code === 'file_too_large' ? 'oversized' : 'unreadable')
    const { bytes, digest } = content.value
    this.#byteCredit -= bytes.byteLength
    const view = viewText(bytes)
    return view === null ? this.#skip('binary') : { ...view, digest }
  }

  #skip(reason: Skipped['reason']): null {
    this.#skips.add(reason)
    return null
  }

  /** Let others run every so many entries and bytes, and stop here when nobody wants the walk any more. */
  async #takeTurn(): Promise<void> {
    this.#signal?.throwIfAborted()
    this.#credit -= 1
    if (this.#credit > 0 && this.#byteCredit > 0) return
    this.#credit = entriesPerTurn
    this.#byteCredit = bytesPerTurn
    await nextTurn()
  }
}

function openLevel(fd: number, path: string, rules: IgnoreRules): Level {
  return { fd, path, rules, entries: readEntries(fd)[Symbol.iterator]() }
}
