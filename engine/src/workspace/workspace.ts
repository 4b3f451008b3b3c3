/** The project directory as a scope: every path a tool touches is opened through one of these, or not at all. */
import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Grant } from '../kernel/index.ts'
import { type FileContent, readContent } from './content.ts'
import { findKind, type RootPin, readCode, withParent } from './descent.ts'
import { findRules } from './ignore-rules.ts'
import { type Listing, listDirectory } from './listing.ts'
import { isControlName, isHiddenPath } from './names.ts'
import { normalisePath, splitName } from './path.ts'
import { removeStaged, type StagedFile, type StageRequest, stageFile } from './staging.ts'
import { type Walk, type WalkRequest, walkTree } from './walk.ts'
import { nothingWithheld, type Withholding } from './withheld.ts'

/** Files up to this are read whole unless the caller sets a limit of its own. */
export const readLimit: number = 8 * 1024 * 1024

/**
 * One project, pinned.
 *
 * Contract: paths are relative to `root`, with `/` between their parts; an absolute path inside the
 * root is taken as the relative one. No symbolic link is followed at any hop. The root is compared
 * with its device and inode at every use: a directory that was replaced is `project_missing`.
 * `.git` is hidden, at any depth and in any spelling. The content of what a rule of the person keeps from
 * models is neither read nor written here: `path_withheld`. Names are shown.
 */
export interface Workspace {
  /** Absolute, with every link in it resolved when it was opened. */
  readonly root: string

  /** Paths that may be changed, with what lies below them; null for all of it. */
  readonly writable: readonly string[] | null

  /** The path in its normal form, `.` for the root itself. Looks at the words only, never at the disk. */
  resolve(path: string): Result<string>

  /** A regular file's bytes with the digest of exactly these bytes; at most `limit` of them. */
  read(path: string, limit?: number): Promise<Result<FileContent>>

  /** The entries of one directory, sorted, without what is ignored or hidden; that is counted. */
  list(path: string): Promise<Result<Listing>>

  /** Every visible file below a directory, in sorted order, one at a time. */
  walk(request: WalkRequest, signal?: AbortSignal): Walk

  /**
   * Whether the ignore rules show this path to a model.
   * `read` does not ask; a caller that serves a model decides with this.
   * Refuses: path_ignored with the rule.
   */
  admit(path: string): Promise<Result<string>>

  /** Whether a file here steers tools, editors or agents, so that changing it needs a person (also while it is absent). */
  isControlFile(path: string): boolean

  /** Prepare an atomic write. Nothing visible happens before its `commit`. */
  stage(grant: Grant<'repository_mutation'>, request: StageRequest): Promise<Result<StagedFile>>

  /** Remove the hidden files that writes with this tag left beside a path when their process was killed. */
  clearStaged(grant: Grant<'repository_mutation'>, left: { readonly tag: string; readonly path: string }): Promise<Result<null>>
}

/**
 * Open a project directory and pin it.
 *
 * Refuses: project_path_invalid for a path that is relative, absent, not a directory, the root of the
 * file system, or a home directory, which would put every secret of its owner into scope.
 */
export async function openWorkspace(root: string, withheld: Withholding = nothingWithheld): Promise<Result<Workspace>> {
  const pinned = pinRoot(root)
  return pinned.ok ? ok(new PinnedWorkspace(pinned.value, withheld)) : pinned
}

function pinRoot(root: string): Result<RootPin> {
  const no = (problem: string) => refuse('project_path_invalid', { path: root, problem })
  if (!isAbsolute(root) || root.includes('\0')) return no('it is not an absolute path')
  let path: string
  try {
    path = realpathSync(root)
  } catch (cause) {
    return no(readCode(cause) === 'ENOENT' ? 'it does not exist' : `it cannot be opened (${readCode(cause)})`)
  }
  if (path === '/' || path === homedir()) return no('it is too wide; choose a directory below it')
  const stats = statSync(path)
  return stats.isDirectory() ? ok({ path, device: stats.dev, inode: stats.ino }) : no('it is not a directory')
}

class PinnedWorkspace implements Workspace {
  readonly writable = null
  readonly #pin: RootPin
  readonly #withheld: Withholding

  constructor(pin: RootPin, withheld: Withholding) {
    this.#pin = pin
    this.#withheld = withheld
  }

  get root(): string {
    return this.#pin.path
  }

  resolve(path: string): Result<string> {
    return normalisePath(this.root, path)
  }

  async read(path: string, limit: number = readLimit): Promise<Result<FileContent>> {
    const resolved = this.#open(path)
    return resolved.ok ? readContent(this.#pin, { path: resolved.value, limit }) : resolved
  }

  async list(path: string): Promise<Result<Listing>> {
    const resolved = this.#reveal(path)
    return resolved.ok ? listDirectory(this.#pin, resolved.value) : resolved
  }

  walk(request: WalkRequest, signal?: AbortSignal): Walk {
    return walkTree(this.#pin, { ...request, under: this.#reveal(request.under ?? '.'), withheld: this.#withheld }, signal)
  }

  async admit(asked: string): Promise<Result<string>> {
    const resolved = this.#open(asked)
    if (!resolved.ok || resolved.value === '.') return resolved
    const path = resolved.value
    const rules = findRules(this.#pin, splitName(path).directory)
    if (!rules.ok) return rules
    return withParent(this.#pin, path, (parent, name) => {
      const rule = rules.value.findRule(findKind(parent, name) === 'a directory' ? `${name}/` : name)
      return rule === null ? ok(path) : refuse('path_ignored', { path, rule })
    })
  }

  isControlFile(path: string): boolean {
    const resolved = this.resolve(path)
    return resolved.ok && isControlName(resolved.value)
  }

  async stage(grant: Grant<'repository_mutation'>, request: StageRequest): Promise<Result<StagedFile>> {
    const resolved = this.#open(request.path)
    return resolved.ok ? stageFile(this.#pin, grant, { ...request, path: resolved.value }) : resolved
  }

  async clearStaged(
    grant: Grant<'repository_mutation'>,
    { tag, path }: { readonly tag: string; readonly path: string },
  ): Promise<Result<null>> {
    const resolved = this.#reveal(path)
    return resolved.ok ? removeStaged(this.#pin, grant, { tag, directory: splitName(resolved.value).directory }) : resolved
  }

  /** The normal form of a path whose content may be touched. */
  #open(path: string): Result<string> {
    const resolved = this.#reveal(path)
    const rule = resolved.ok ? this.#withheld.ofPath(resolved.value) : null
    return resolved.ok && rule !== null ? refuse('path_withheld', { path: resolved.value, rule }) : resolved
  }

  /** The normal form of a path, unless it lies in what is hidden from every tool. */
  #reveal(path: string): Result<string> {
    const resolved = this.resolve(path)
    if (!resolved.ok || !isHiddenPath(resolved.value)) return resolved
    return refuse('path_ignored', { path: resolved.value, rule: 'the workspace, which keeps .git to git' })
  }
}
