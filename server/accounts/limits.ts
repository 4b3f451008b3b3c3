/** What passwords, sessions and codes may be, gathered from where each is enforced, for whoever shows it. */
import { lifeMs } from './codes.ts'
import { atOnce, leastLength, mostLength } from './password.ts'
import { sessionMs } from './sessions.ts'

export const accountLimits = {
  passwordLeast: leastLength,
  passwordMost: mostLength,
  hashesAtOnce: atOnce,
  sessionMs,
  inviteMs: lifeMs.invite,
  resetMs: lifeMs.reset,
} as const
