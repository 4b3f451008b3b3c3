/** A disk that fails at the n-th change, for one program: `failing-disk.c`, built when it is asked for, and its settings. */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

export interface DiskFault {
  /** Counted from 1; 0 lets every change through, to learn how many there are. */
  readonly at: number
  readonly error: 'ENOSPC' | 'EIO' | 'kill'
  /** Whether only that one change fails, or every later one as well. */
  readonly lasts: 'once' | 'for good'
}

/** What became of it, from the library's own note. */
export interface DiskReport {
  /** Which change failed, as in `fsync /data/bridlewise.db-wal`; null when the program ended before it came to that. */
  readonly hit: string | null
  /** Changes in all; 0 when the program did not come to its end. */
  readonly calls: number
}

/** The environment under which files below `root` are on such a disk. `note` lies elsewhere. */
export function failingDisk(root: string, note: string, fault: DiskFault): Record<string, string> {
  return {
    LD_PRELOAD: library(),
    DISK_ROOT: `${root}/`,
    DISK_NOTE: note,
    DISK_FAIL_AT: String(fault.at),
    DISK_ERRNO: String(fault.error === 'kill' ? 0 : constants.errno[fault.error]),
    DISK_FOR_GOOD: fault.lasts === 'once' ? '0' : '1',
  }
}

export function readDiskReport(note: string): DiskReport {
  const lines = existsSync(note) ? readFileSync(note, 'utf8').trim().split('\n') : []
  const ended = lines.filter((line) => line.startsWith('ended ')).map((line) => Number(line.split(' ')[1]))
  const hit = lines.find((line) => !line.startsWith('ended ') && line !== '')
  return { hit: hit?.replace(/ \d+ /, ' /') ?? null, calls: Math.max(0, ...ended) }
}

const source = join(import.meta.dirname, 'failing-disk.c')
const cache = join(import.meta.dirname, '../../node_modules/.cache')

let built: string | null = null

/** Contract: built once for each text of its source, and put in place in one step. */
function library(): string {
  if (built) return built
  const path = join(cache, `failing-disk-${hash('sha256', readFileSync(source)).slice(0, 16)}.so`)
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true })
    const draft = `${path}.${process.pid}`
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-Werror', '-o', draft, source, '-ldl'])
    renameSync(draft, path)
  }
  built = path
  return path
}
