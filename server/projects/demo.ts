/** A copy of the bundled sample project, in a place of its own, under git where there is git. */
import { cp, mkdir, realpath, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProcessPort } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { explain, isPresent, type PinnedDirectory } from './accept.ts'

export interface Sample {
  /** The bundled directory. */
  readonly source: string
  /** Where copies go: `<home>/<name>-<n>`. */
  readonly home: string
  readonly name: string
}

const mostCopies = 1000

/**
 * Copy the sample to the next free place.
 *
 * Contract: two copies at once get two places. A copy that failed half-way is taken away again. git
 * runs confined; where it does not run, the copy is a project without history.
 * Refuses: project_path_invalid, storage_full.
 */
export async function copySample(sample: Sample, processes: ProcessPort, signal: AbortSignal): Promise<Result<string>> {
  let path = sample.home
  try {
    await mkdir(sample.home, { recursive: true, mode: 0o700 })
    const place = await takePlace(sample)
    if (place === null) return refuse('project_path_invalid', { path, problem: `it holds ${mostCopies} copies already` })
    path = place
    await cp(sample.source, path, { recursive: true })
  } catch (cause) {
    if (path !== sample.home) await rm(path, { recursive: true, force: true })
    if (isFull(cause)) return refuse('storage_full')
    return refuse('project_path_invalid', { path, problem: explain(cause) })
  }
  await beginHistory(path, processes, signal)
  return ok(path)
}

/**
 * Remove copies that nobody needs any more.
 *
 * Contract: only what is the very directory that was pinned, straight below `home`; links in it are
 * removed and not followed. Any other project's files are never touched.
 */
export async function removeCopies({ home }: Pick<Sample, 'home'>, copies: readonly PinnedDirectory[]): Promise<void> {
  const real = await realpath(home).catch(() => home)
  for (const copy of copies) {
    if (dirname(copy.path) === real && (await isPresent(copy))) await rm(copy.path, { recursive: true, force: true })
  }
}

/** `mkdir` decides who gets a place. */
async function takePlace(sample: Sample): Promise<string | null> {
  for (let n = 1; n <= mostCopies; n += 1) {
    const path = join(sample.home, `${sample.name}-${n}`)
    try {
      await mkdir(path)
      return path
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause
    }
  }
  return null
}

async function beginHistory(path: string, processes: ProcessPort, signal: AbortSignal): Promise<void> {
  const identity = ['-c', 'user.name=Bridlewise', '-c', 'user.email=sample@localhost']
  const steps = [
    ['init', '--quiet', '--initial-branch', 'main'],
    ['add', '--all'],
    [...identity, 'commit', '--quiet', '--message', 'The sample as it comes'],
  ]
  for (const step of steps) {
    const outcome = await processes.run(
      { argv: ['git', ...step], cwd: path, root: path, access: 'write', deadlineMs: 20_000, outputLimit: 16 * 1024 },
      signal,
    )
    if (outcome.kind !== 'exited' || outcome.exitCode !== 0) return
  }
}

function isFull(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')
}
