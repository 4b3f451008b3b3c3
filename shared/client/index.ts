export { type CallOptions, callOperation, type Route, type Transport } from './call.ts'
export { type Client, createClient } from './client.ts'
export { openStream, type StreamEnd, type StreamOptions } from './stream.ts'
