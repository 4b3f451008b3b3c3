export type { Fixer, RefusalEntry, Retry } from './entry.ts'
export { makeRefusal, ok, type Refusal, type Result, refuse } from './refusal.ts'
export { isRefusalCode, type RefusalCode, registry } from './registry.ts'
export { refusalReplySchema, refusalSchema } from './schema.ts'
