/** What a start and the disk must allow, gathered from where each is enforced, for whoever shows it. */
import { readAfterCrashBytes, readAtStartBytes, readBesideBytes } from './integrity.ts'
import { replyKeptMs } from './repositories/idempotency.ts'
import { sharesPerProject } from './repositories/shares.ts'
import { comfortableBytes, startFloorBytes } from './space.ts'

export const storageLimits = {
  startFloorBytes,
  comfortableBytes,
  readAtStartBytes,
  readAfterCrashBytes,
  readBesideBytes,
  replyKeptMs,
  sharesPerProject,
} as const
