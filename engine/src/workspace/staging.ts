/**
 * One atomic write: the new content is complete and durable beside its target before the target changes.
 *
 * Every step goes through the descriptor of the target's directory, so that a directory that is renamed or
 * replaced by a link meanwhile does not lead elsewhere. A replaced file keeps its old inode under a
 * second name until `finish`, so that undoing needs neither space nor a copy. Other hard links of the
 * old file keep the old content: they are names of the old inode, and this writes a new one.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsync, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, rm, unlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { assertGrant, type Grant } from '../kernel/index.ts'
import { digestOf, readEntry } from './content.ts'
import { entryOf, findKind, openDirectory, type RootPin, readCode, withDirectory } from './descent.ts'
import { openOrMakeDirectory, removeIfEmpty } from './directories.ts'
import { readEntries } from './listing.ts'
import { stagingPrefix } from './names.ts'
import { splitName } from './path.ts'

export interface StageRequest {
  readonly path: string
  /** What will stand there; null when nothing shall, which needs something to be replaced. */
  readonly bytes: Uint8Array | null
  /** Digest of what must stand there at the moment of the commit; null when nothing may. */
  readonly replaces: string | null
  /** Permission bits of a file that appears; what the process usually gives unless said. A replaced file keeps its own. */
  readonly mode?: number | undefined
  /** Begins the names of its hidden files, for whoever has to find them after a crash: letters and digits. */
  readonly tag?: string | undefined
}

/**
 * A write that is prepared.
 *
 * Contract: `commit` at most once, then `finish`; or `undo`, whether it was committed, refused or never
 * tried. Until one of the two a descriptor and a hidden file are held.
 */
export interface StagedFile {
  readonly path: string

  /** Make the change visible and durable. Refuses: stale_file, file_exists, write_failed; `undo` then cleans up. */
  commit(): Promise<Result<void>>

  /** Put back what stood there before. Refuses stale_file when somebody changed the file since the commit; theirs is kept. */
  undo(): Promise<Result<void>>

  /** Keep the change and let go of the old content. */
  finish(): Promise<void>
}

/** A file that has grown past this is not the one that was read. */
const compareLimit = 256 * 1024 * 1024

const syncDirectory = promisify(fsync)
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/**
 * Write the new content beside its target and wait until it is on the disk.
 *
 * Contract: directories that a new file needs are made now, empty, and removed again by `undo`.
 * Refuses: what the way there refuses, stale_file, file_exists, write_failed.
 */
export async function stageFile(
  pin: RootPin,
  grant: Grant<'repository_mutation'>,
  request: StageRequest,
): Promise<Result<StagedFile>> {
  assertGrant(grant, 'repository_mutation')
  const { directory, name } = splitName(request.path)
  const parent = request.bytes === null ? openExisting(pin, directory) : openOrMakeDirectory(pin, directory)
  if (!parent.ok) return parent
  const staged = new PendingFile(pin, { ...request, name, directory: parent.value.fd, made: parent.value.made })
  const written = await staged.write()
  if (written.ok) return ok(staged)
  await staged.undo()
  return written
}

/**
 * Remove what writes with this tag left in a directory when their process was killed.
 *
 * Refuses: what the way there refuses.
 */
export async function removeStaged(
  pin: RootPin,
  grant: Grant<'repository_mutation'>,
  { tag, directory }: { readonly tag: string; readonly directory: string },
): Promise<Result<null>> {
  assertGrant(grant, 'repository_mutation')
  const removed = await withDirectory(pin, directory, async (fd) => {
    for (const { name } of readEntries(fd)) if (name.startsWith(`${stagingPrefix}${tag}`)) await rm(entryOf(fd, name))
  })
  return removed.ok ? ok(null) : removed
}

interface Target extends StageRequest {
  /** Descriptor of the directory, owned by the pending file. */
  readonly directory: number
  readonly name: string
  /** Directories that were made for it, outermost first. */
  readonly made: readonly string[]
}

class PendingFile implements StagedFile {
  readonly #pin: RootPin
  readonly #target: Target
  /** Names, in the target's directory, of the new content before the commit and of the old one after it. */
  readonly #fresh: string
  readonly #former: string
  #state: 'staged' | 'committed' | 'closed' = 'staged'

  constructor(pin: RootPin, target: Target) {
    const tag = `${stagingPrefix}${target.tag ?? ''}${randomBytes(9).toString('hex')}`
    this.#pin = pin
    this.#target = target
    this.#fresh = `${tag}.new`
    this.#former = `${tag}.old`
  }

  get path(): string {
    return this.#target.path
  }

  async write(): Promise<Result<void>> {
    const { replaces, name, bytes } = this.#target
    const checked = replaces === null ? this.#expectNothing() : this.#expectContent(name, replaces)
    if (!checked.ok || bytes === null) return checked
    return this.#attempt(async () => {
      const former = replaces === null ? null : await lstat(this.#at(name))
      const file = await open(this.#at(this.#fresh), createFlags, former === null ? 0o666 : 0o600)
      try {
        await file.writeFile(bytes)
        if (former !== null) await likenTo(file, former)
        else if (this.#target.mode !== undefined) await file.chmod(this.#target.mode & 0o777)
        await file.sync()
      } finally {
        await file.close()
      }
    })
  }

  commit(): Promise<Result<void>> {
    if (this.#state !== 'staged') throw new Error('a staged file is committed once')
    return this.#target.replaces === null ? this.#appear() : this.#replace(this.#target.replaces)
  }

  async undo(): Promise<Result<void>> {
    const { directory, made, replaces, bytes, name, path } = this.#target
    const isCommitted = this.#state === 'committed'
    const isOurs = bytes === null ? this.#expectNothing() : this.#expectContent(name, digestOf(bytes))
    const isTheirs = isCommitted && !isOurs.ok
    if (isCommitted && !isTheirs) {
      if (replaces === null) await unlink(this.#at(name))
      else await rename(this.#at(this.#former), this.#at(name))
    }
    await this.#drop(this.#fresh)
    await this.#drop(this.#former)
    await syncDirectory(directory)
    this.#close()
    for (const each of made.toReversed()) removeIfEmpty(this.#pin, each)
    return isTheirs ? refuse('stale_file', { path }) : ok(undefined)
  }

  async finish(): Promise<void> {
    if (this.#state !== 'committed') throw new Error('only a committed file is finished')
    await this.#drop(this.#former)
    this.#close()
  }

  /** A link, unlike a rename, never replaces: whoever came first keeps the name. */
  #appear(): Promise<Result<void>> {
    return this.#attempt(async () => {
      await link(this.#at(this.#fresh), this.#at(this.#target.name))
      this.#state = 'committed'
      await this.#drop(this.#fresh)
      await syncDirectory(this.#target.directory)
    })
  }

  /** What gets the second name is what the rename replaces, but for the moment between these two calls. */
  async #replace(digest: string): Promise<Result<void>> {
    const place = this.#at(this.#target.name)
    const kept = await this.#attempt(() => link(place, this.#at(this.#former)))
    if (!kept.ok) return kept
    const unchanged = this.#expectContent(this.#former, digest)
    if (!unchanged.ok) return unchanged
    return this.#attempt(async () => {
      if (this.#target.bytes === null) await unlink(place)
      else await rename(this.#at(this.#fresh), place)
      this.#state = 'committed'
      await syncDirectory(this.#target.directory)
    })
  }

  #expectNothing(): Result<void> {
    const { directory, name, path } = this.#target
    const found = findKind(directory, name)
    if (found === null) return ok(undefined)
    return found === 'a symbolic link' ? refuse('path_is_link', { path }) : refuse('file_exists', { path })
  }

  #expectContent(name: string, digest: string): Result<void> {
    const { directory, path } = this.#target
    const content = readEntry(directory, name, { path, limit: compareLimit })
    if (content.ok) return content.value.digest === digest ? ok(undefined) : refuse('stale_file', { path })
    const { code } = content.refusal
    return code === 'path_missing' || code === 'file_too_large' ? refuse('stale_file', { path }) : content
  }

  /** Make system calls whose failure is an expected no: a full disk, a read-only file system, a missing right. */
  async #attempt(act: () => Promise<void>): Promise<Result<void>> {
    const { path } = this.#target
    try {
      await act()
      return ok(undefined)
    } catch (cause) {
      const code = readCode(cause)
      return code === 'EEXIST' ? refuse('file_exists', { path }) : refuse('write_failed', { path, problem: code })
    }
  }

  async #drop(name: string): Promise<void> {
    await rm(this.#at(name), { force: true })
  }

  #at(name: string): string {
    return entryOf(this.#target.directory, name)
  }

  #close(): void {
    if (this.#state !== 'closed') closeSync(this.#target.directory)
    this.#state = 'closed'
  }
}

/** A file that goes needs no directory made for it. */
function openExisting(pin: RootPin, path: string): ReturnType<typeof openOrMakeDirectory> {
  const opened = openDirectory(pin, path)
  return opened.ok ? ok({ fd: opened.value, made: [] }) : opened
}

/** Give a new inode the owner and the permission bits of the one it stands in for. */
async function likenTo(file: FileHandle, former: Stats): Promise<void> {
  const own = await file.stat()
  if (own.uid !== former.uid || own.gid !== former.gid) await file.chown(former.uid, former.gid)
  await file.chmod(former.mode & 0o7777)
}
