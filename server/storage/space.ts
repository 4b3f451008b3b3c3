/** Free space where the data lies: too little stops a start, because every write would fail half-way through a run. */
import { statfsSync } from 'node:fs'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

const mebibyte = 2 ** 20

/** Below this no server starts: room for the log of a few runs, and for the files of SQLite itself. */
export const startFloorBytes = 16 * mebibyte

/** Below this the posture warns. */
export const comfortableBytes = 512 * mebibyte

/** Bytes that this user may still write at `path`, or null where the file system does not say. */
export function measureSpace(path: string): number | null {
  const { bavail, bsize, blocks } = statfsSync(path)
  return blocks === 0 ? null : bavail * bsize
}

/** Refuses: data_home_full, naming the path, what is free and what is needed, in bytes. */
export function requireSpace(path: string, neededBytes: number): Result<'enough'> {
  return judgeSpace({ path, freeBytes: measureSpace(path), neededBytes })
}

export function judgeSpace(space: {
  readonly path: string
  readonly freeBytes: number | null
  readonly neededBytes: number
}): Result<'enough'> {
  const { path, freeBytes, neededBytes } = space
  if (freeBytes === null || freeBytes >= neededBytes) return ok('enough')
  return refuse('data_home_full', { path, freeBytes, neededBytes })
}
