/** The clock of this machine, as every room is given it. */
import type { Clock } from '@bridlewise/engine'

export const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
