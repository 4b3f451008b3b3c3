/** Front door of the projection: what is derived from the blocks on the server's side. */
export { type CallContext, callerOf, type SessionCookie } from './context.ts'
