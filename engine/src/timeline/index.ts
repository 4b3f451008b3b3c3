export { CanonicalFault, canonicalise, makeWellFormed } from './canonical.ts'
export { chainHash, type EntryFields, genesisHash, type LedgerEntry, linkEntry, payloadDigest } from './chain.ts'
export { type FileTrace, type Trace, traceFiles } from './file-trace.ts'
export { findRetraction, findRetractions, type Retraction, type RewindMark, standingBeats } from './rewind.ts'
export {
  type ChainVerdict,
  type VerifiableEntry,
  verifyChain,
} from './verify.ts'
