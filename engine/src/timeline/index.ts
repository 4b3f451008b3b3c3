export { CanonicalFault, canonicalise, makeWellFormed } from './canonical.ts'
export { chainHash, type EntryFields, genesisHash, type LedgerEntry, linkEntry, payloadDigest } from './chain.ts'
export {
  type ChainVerdict,
  type VerifiableEntry,
  verifyChain,
} from './verify.ts'
