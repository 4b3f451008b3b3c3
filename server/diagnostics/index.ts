/** Front door of the diagnostics: what a server may tell a stranger of itself. */
export { createFaultBook, type FaultBook } from './fault-book.ts'
export { type DiagnosticsParts, gatherFromHome, gatherInServer, type ServerParts } from './gather.ts'
