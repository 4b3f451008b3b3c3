export { CanonicalFault, canonicalise, makeWellFormed } from './canonical.ts'
export { chainHash, type EntryFields, genesisHash, type LedgerEntry, linkEntry, payloadDigest } from './chain.ts'
export {
  type ChainExpectation,
  type ChainFlaw,
  type ChainHead,
  type ChainVerdict,
  type VerifiableEntry,
  verifyChain,
} from './verify.ts'
