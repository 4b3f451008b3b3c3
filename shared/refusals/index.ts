export { type Fixer, makeRefusal, ok, type Refusal, type RefusalEntry, type Result, type Retry, refuse } from './refusal.ts'
export { isRefusalCode, type RefusalCode, registry } from './registry.ts'
export { refusalReplySchema, refusalSchema } from './schema.ts'
