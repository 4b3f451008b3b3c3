/** Front door of the boundary: what stands between a socket and a handler. */
export type { Admission, Guard } from './admit.ts'
export { reportFault, reportStreamFault, sendRefusal } from './answer.ts'
export { sessionCookieName, tokenHeader } from './credentials.ts'
export { mostHeaders } from './form.ts'
export type { Bound } from './host.ts'
export { defaultLimits, type Limits, swallowBytes } from './limits.ts'
export { type Boundary, type BoundaryParts, createBoundary } from './server.ts'
export type { Answered } from './witness.ts'
