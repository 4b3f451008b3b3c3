/** The directory of a project as the writer lease knows it: by what the file system calls it, not by its path. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ProjectRecord, Tree } from '../storage/index.ts'

/** The pinned directory, with those above it, nearest first; what cannot be looked at is left out. */
export async function findTree({ path, device, inode }: Pick<ProjectRecord, 'path' | 'device' | 'inode'>): Promise<Tree> {
  const above: string[] = []
  for (let at = dirname(path); ; at = dirname(at)) {
    const facts = await stat(at, { bigint: true }).catch(() => null)
    if (facts) above.push(`${facts.dev}:${facts.ino}`)
    if (at === dirname(at)) return { root: `${device}:${inode}`, above }
  }
}
