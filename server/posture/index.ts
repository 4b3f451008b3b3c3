/** Front door of the posture: what holds on this host, measured when asked. */
export { type ExaminationParts, examineHost } from './examine.ts'
export { measurePosture, type Posture, type PostureParts } from './measure.ts'
export { findMeddlers, type Meddler } from './meddling.ts'
