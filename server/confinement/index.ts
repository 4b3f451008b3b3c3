/** Confinement's front door: the only room of the server that starts processes. */
export { type Confinement, type ConfinementOptions, createConfinement } from './confinement.ts'
export type { GuardianProbe, ReadyHost } from './host.ts'
export { limits as commandLimits } from './rules.ts'
