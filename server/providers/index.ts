/** Front door of providers: what is known of an account's models, finding it out, and whether a key is taken. */
export { checkKey, type KeyCheck } from './key-check.ts'
export { createProbes, type Probes } from './probes.ts'
export { dropProfiles, findProfile, keepCorrection, keepProfile } from './profiles.ts'
