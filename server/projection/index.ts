/** Front door of the projection: what is derived from the blocks on the server's side. */
export { OpenCalls } from './call.ts'
export { type CallContext, callerOf, type SessionCookie } from './context.ts'
export { OncePerKey } from './once.ts'
export { OpenStreams } from './open-streams.ts'
export { openApi } from './openapi.ts'
export { type HandlersOf, type Projection, registerBlocks } from './routes.ts'
export { servedSchema } from './served-schema.ts'
