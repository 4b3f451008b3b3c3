/**
 * What a command does to the project: the tree before it held against the tree after it.
 *
 * There is no way to be asked before a command writes. So a file's content is read while it still is the
 * old one, before the command, and remembered in memory as far as there is room; the contents of files
 * that the command then changed are kept. The next command reads anew only what has another stamp.
 *
 * Deliberately not covered: what the ignore rules hide, links, empty directories and permission bits.
 */
import type { Watched } from '@bridlewise/shared/wire'
import { diffTexts, type ReadLog, type VersionLog } from '../editor/index.ts'
import type { Clock } from '../kernel/index.ts'
import { type FileContent, liesIn, readLimit, viewText, type Walk, type Workspace } from '../workspace/index.ts'
import type { ToolEffect } from './effect.ts'

export const treeLimits = {
  /** Files that are looked at; the walk is in a fixed order, so it is the same ones each time. */
  files: 20_000,
  /** Time for each of the two looks, in milliseconds. */
  ms: 1_500,
  /** Of one file whose content is remembered, and of all of them. What the run has read counts for no sum. */
  fileBytes: 512 * 1024,
  bytes: 16 * 1024 * 1024,
  /** Changed files that are told one by one, and of these the ones told with their difference. */
  changes: 200,
  diffs: 50,
} as const

type FileEffect = Extract<ToolEffect, { effect: 'file' }>

export interface TreeChanges {
  readonly files: readonly FileEffect[]
  readonly watched: Watched
}

export interface CommandWatch {
  /** Call it when no process of the command is alive. What changed since `begin` is kept and told. */
  end(): Promise<TreeChanges>
}

export interface TreeWatch {
  /**
   * Look at the tree before a command that can change `writable`, or all of it: what changes elsewhere
   * meanwhile is not the command's. Throws the signal's reason when it is aborted.
   */
  begin(signal: AbortSignal, writable: readonly string[] | null): Promise<CommandWatch>
}

export interface TreeWatchParts {
  readonly workspace: Workspace
  readonly readLog: ReadLog
  readonly versions: VersionLog
  readonly clock: Clock
}

/** A file as a look found it. `content` is null where it was not read. */
interface Seen {
  readonly stamp: string
  readonly bornAt: number
  readonly content: FileContent | null
}

interface Look {
  readonly files: ReadonlyMap<string, Seen>
  /** Whether every visible file is in it. */
  readonly complete: boolean
}

/** How much older than the look a file's birth may seem that came after it: clocks of file systems are coarse. */
const coarseMs = 20

/** A watch for one run. It remembers contents from command to command, so it lives as long as the run. */
export function createTreeWatch(parts: TreeWatchParts): TreeWatch {
  let known: ReadonlyMap<string, Seen> = new Map()
  return {
    async begin(signal, writable) {
      const before = await look(parts, { known, read: 'contents' }, signal)
      const begunAt = parts.clock.now() - coarseMs
      known = before.files
      return {
        async end() {
          const after = await look(parts, { known: before.files, read: 'stamps' })
          return tellChanges(parts, { before, after, begunAt, writable })
        },
      }
    },
  }
}

interface Looking {
  readonly known: ReadonlyMap<string, Seen>
  readonly read: 'contents' | 'stamps'
}

async function look(
  { workspace, readLog, clock }: TreeWatchParts,
  { known, read }: Looking,
  signal?: AbortSignal,
): Promise<Look> {
  const until = clock.elapsed() + treeLimits.ms
  const files = new Map<string, Seen>()
  const walk = workspace.walk({ maxFiles: treeLimits.files }, signal)
  let bytes = 0
  let inTime = true
  for await (const file of walk) {
    const { path, stamp, bornAt } = file
    const same = known.get(path)
    let content = same?.stamp === stamp ? same.content : null
    const wanted = read === 'contents' && content === null && file.bytes <= treeLimits.fileBytes
    if (wanted && (bytes + file.bytes <= treeLimits.bytes || readLog.digestOf(path) !== null)) {
      content = file.readBytes(treeLimits.fileBytes)
    }
    bytes += content?.bytes.byteLength ?? 0
    files.set(path, { stamp, bornAt, content })
    inTime = clock.elapsed() < until
    if (!inTime) break
  }
  return { files, complete: inTime && isWhole(walk) }
}

function isWhole(walk: Walk): boolean {
  return walk.refusal() === null && !walk.skipped().some(({ reason }) => reason === 'limit' || reason === 'unreadable')
}

interface Looks {
  readonly before: Look
  readonly after: Look
  readonly begunAt: number
  readonly writable: readonly string[] | null
}

async function tellChanges(parts: TreeWatchParts, looks: Looks): Promise<TreeChanges> {
  const { before, after } = looks
  const files: FileEffect[] = []
  let unseen = 0
  for (const path of findTouched(looks)) {
    if (files.length >= treeLimits.changes) {
      unseen += 1
      continue
    }
    const seen = before.files.get(path) ?? null
    // Known by its stamp alone, and not met again: it may be as it was.
    if (seen?.content === null && !after.files.has(path) && (await parts.workspace.read(path)).ok) continue
    const effect = await tellFile(parts, { path, seen, withDiff: files.length < treeLimits.diffs })
    if (effect) files.push(effect)
  }
  return { files, watched: { files: before.files.size, complete: before.complete && after.complete, more: unseen } }
}

/** Paths whose stamp differs, that are gone, or that came into being. */
function findTouched({ before, after, begunAt, writable }: Looks): string[] {
  const touched = [...before.files].filter(([path, { stamp }]) => after.files.get(path)?.stamp !== stamp).map(([path]) => path)
  // A file that was there already and came out of hiding must never be taken for one that the command made.
  const made = [...after.files].filter(([path, { bornAt }]) => !before.files.has(path) && bornAt >= begunAt).map(([path]) => path)
  const sameRules = ![...touched, ...made].some(isRules)
  const all = before.complete && sameRules ? [...touched, ...made] : touched
  return writable === null ? all : all.filter((path) => liesIn(writable, path))
}

function isRules(path: string): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore')
}

interface Touched {
  readonly path: string
  readonly seen: Seen | null
  readonly withDiff: boolean
}

/** What became of one file, with its contents kept; null when it holds what it held. */
async function tellFile({ workspace, versions }: TreeWatchParts, { path, seen, withDiff }: Touched): Promise<FileEffect | null> {
  const now = await workspace.read(path, readLimit)
  const gone = !now.ok && now.refusal.code === 'path_missing'
  if (!now.ok && !gone) return null
  const former = seen?.content ?? null
  const present = now.ok ? now.value : null
  if (former !== null && former.digest === present?.digest) return null
  if (seen === null && present === null) return null
  if (former) await versions.before(former)
  if (present) await versions.after(present)
  else await versions.gone(path)
  return {
    effect: 'file',
    target: path,
    before: former?.digest ?? null,
    after: present?.digest ?? null,
    change: seen === null ? 'created' : present === null ? 'deleted' : 'modified',
    mode: former?.mode ?? null,
    diff: withDiff && (seen === null || former) ? diffContents(path, former, present) : null,
  }
}

function diffContents(path: string, former: FileContent | null, present: FileContent | null): FileEffect['diff'] {
  const views = [former, present].map((content) => (content === null ? null : viewText(content.bytes)))
  if (views.some((view, at) => view === null && [former, present][at] !== null)) return null
  return diffTexts(path, views[0]?.text ?? null, views[1]?.text ?? null)
}
