/** The one door to models. Nothing outside this room imports another file of it. */
export type { Bridge, BridgeParts, Discovery, Endpoint, Found, ModelLimits } from './types.ts'
