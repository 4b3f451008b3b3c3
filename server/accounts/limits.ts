/** What passwords, sessions and codes may be, gathered from where each is enforced, for whoever shows it. */
import { lifeMs } from './codes.ts'
import { delayLimits } from './delays.ts'
import { atOnce, leastLength, mostLength, mostWaiting } from './password.ts'
import { idleMs, sessionMs } from './sessions.ts'

export const accountLimits = {
  passwordLeast: leastLength,
  passwordMost: mostLength,
  hashesAtOnce: atOnce,
  hashesWaiting: mostWaiting,
  wrongFree: delayLimits.free,
  wrongFirstMs: delayLimits.firstMs,
  wrongMostMs: delayLimits.mostMs,
  wrongForgetMs: delayLimits.forgetMs,
  wrongRemembered: delayLimits.remembered,
  sessionMs,
  idleMs,
  inviteMs: lifeMs.invite,
  resetMs: lifeMs.reset,
} as const
