export type { Action, Column, Download, Format, Settings, Signal, Table } from './appearance.ts'
export { type Block, defineBlock } from './block.ts'
export type { CallOf, Handler, Handlers, InputOf, ReplyOf } from './handlers.ts'
export { type BlockList, DeclarationFault, defineModule, operationPath, pathParameters } from './module.ts'
export {
  type Access,
  type CommandOperation,
  command,
  type Effect,
  type Idempotency,
  type Operation,
  type QueryOperation,
  query,
  type RateClass,
  type StreamOperation,
  stream,
} from './operation.ts'
