import type { Handlers, posture } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { measurePosture, type PostureParts } from '../posture/index.ts'
import type { CallContext } from '../projection/index.ts'

export function createPostureHandlers(parts: PostureParts): Handlers<typeof posture, CallContext> {
  return { get: async () => ok(await measurePosture(parts)) }
}
