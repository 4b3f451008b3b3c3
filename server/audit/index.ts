/** Front door of the audit: which answers are security events, and the record of them. */
export { type AuditBook, auditLimits, createAuditBook } from './book.ts'
export { recordedOperations, titleOf } from './kinds.ts'
export { noteAnswer, noteDeniedEgress, noteFault, noteOperator, noteServer, noteSlowdown } from './note.ts'
