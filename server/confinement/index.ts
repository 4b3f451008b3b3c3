export type { Confinement, ConfinementOptions } from './confinement.ts'
export type { GuardianProbe, ReadyHost } from './host.ts'
