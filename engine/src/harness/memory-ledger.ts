/** A ledger in memory, chained like the real one, so that a scenario ends with a verification. */
import { randomBytes } from 'node:crypto'
import type { Result } from '@bridlewise/shared/refusals'
import type { Beat, BeatDraft, BeatOf } from '@bridlewise/shared/wire'
import type { Clock, Ids, LedgerPort, WriteBeat } from '../kernel/index.ts'
import { type ChainVerdict, genesisHash, linkEntry, payloadDigest, type VerifiableEntry, verifyChain } from '../timeline/index.ts'

export interface MemoryLedger extends LedgerPort {
  readonly beats: readonly Beat[]
  verify(): Promise<Result<ChainVerdict>>
}

export interface LedgerFacts {
  readonly runId: string
  readonly chatId: string
  readonly clock: Clock
  readonly ids: Ids
}

export function createMemoryLedger({ runId, chatId, clock, ids }: LedgerFacts): MemoryLedger {
  const beats: Beat[] = []
  const entries: VerifiableEntry[] = []
  const write: WriteBeat = (draft) => {
    const beat = { ...placed(draft), id: ids.next('beat'), seq: beats.length + 1, runId, chatId, at: clock.now() } as Beat
    const { source, derivation, payload, within, ...fields } = beat
    const body = { salt: randomBytes(16), payload: { source, derivation, payload, ...(within && { within }) } }
    const digested = { ...fields, ownerId: null, payloadDigest: payloadDigest(body.salt, body.payload) }
    entries.push({ ...linkEntry(entries.at(-1)?.hash ?? genesisHash, digested), body })
    beats.push(beat)
    return beat as BeatOf<typeof draft.kind>
  }
  return {
    beats,
    append: async (draft) => write(draft),
    appendTogether: async (work) => work(write),
    verify: () => verifyChain(entries),
  }
}

/** A copy: what the caller does with its draft afterwards changes no beat. */
function placed({ kind, payload, source, derivation = [], within }: BeatDraft) {
  return structuredClone({ kind, payload, source, derivation: [...derivation], ...(within && { within }) })
}
