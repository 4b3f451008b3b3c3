/** What one run keeps of the files it changes: of each, what it held first and what the run left in it. */
import type { FileVersion, VersionsPort } from '../kernel/index.ts'

export interface VersionOfFile extends FileVersion {
  /** In normal form. */
  readonly path: string
}

export interface VersionLog {
  /** Keep what a file holds, before the run changes it for the first time. Later contents of the run's own are not kept. */
  before(version: VersionOfFile): Promise<void>
  /** Keep what a change left, in place of what an earlier change of the run left there. */
  after(version: VersionOfFile): Promise<void>
  /** A change took the file away. */
  gone(path: string): Promise<void>
  /** Note a change before the first of its files changes; see the port. */
  begin: VersionsPort['begin']
}

/**
 * An empty log, for one run.
 *
 * Contract: however often a run changes a file, two contents of it are kept. What was kept before the
 * run, or is the first content of any file of it, is never let go.
 */
export function createVersionLog(port: VersionsPort): VersionLog {
  const changed = new Set<string>()
  const firsts = new Set<string>()
  const ours = new Set<string>()
  /** What the run left in each path. */
  const lasts = new Map<string, string>()

  async function letGo(path: string): Promise<void> {
    const digest = lasts.get(path)
    lasts.delete(path)
    changed.add(path)
    if (digest === undefined || !ours.has(digest) || firsts.has(digest) || [...lasts.values()].includes(digest)) return
    ours.delete(digest)
    await port.drop(digest)
  }

  return {
    async before(version) {
      if (changed.has(version.path)) return
      changed.add(version.path)
      firsts.add(version.digest)
      await port.keep(version)
    },
    async after(version) {
      if (lasts.get(version.path) === version.digest) return
      await letGo(version.path)
      if ((await port.keep(version)) === 'new') ours.add(version.digest)
      lasts.set(version.path, version.digest)
    },
    gone: letGo,
    begin: (files) => port.begin(files),
  }
}
