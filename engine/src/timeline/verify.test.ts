import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  canonicalise,
  chainHash,
  type EntryFields,
  genesisHash,
  linkEntry,
  payloadDigest,
  type VerifiableEntry,
  verifyChain,
} from './index.ts'

const salt = Buffer.alloc(16, 7)

function makeChain(length: number): VerifiableEntry[] {
  const entries: VerifiableEntry[] = []
  for (let seq = 1; seq <= length; seq += 1) {
    const payload = { text: `beat ${seq}`, tags: [seq, null] }
    const fields: EntryFields = {
      seq,
      id: `beat_${seq}`,
      kind: 'finding',
      runId: seq % 3 === 0 ? null : 'run_1',
      chatId: 'chat_1',
      ownerId: 'user_1',
      // The clock may go back; the order does not depend on it.
      at: 1_700_000_000_000 - seq * 1000,
      payloadDigest: payloadDigest(salt, payload),
    }
    entries.push({ ...linkEntry(entries.at(-1)?.hash ?? genesisHash, fields), body: { salt, payload } })
  }
  return entries
}

const change = (entries: VerifiableEntry[], seq: number, part: Partial<VerifiableEntry>) =>
  entries.map((entry) => (entry.seq === seq ? { ...entry, ...part } : entry))

/** As a forger would who can compute hashes: the entry gets a hash that fits its new fields. */
const forge = (entries: VerifiableEntry[], seq: number, part: Partial<EntryFields>) =>
  entries.map((entry) => {
    if (entry.seq !== seq) return entry
    const fields = { ...entry, ...part }
    return { ...fields, hash: chainHash(entry.previous, fields) }
  })

describe('a chain that holds', () => {
  test('is confirmed with its head and what was compared', async () => {
    const entries = makeChain(1200)
    expect(await verifyChain(entries)).toEqual({
      ok: true,
      value: { entries: 1200, payloadsChecked: 1200, payloadsErased: 0, head: { seq: 1200, hash: entries[1199]?.hash } },
    })
  })

  test('may be empty', async () => {
    expect(await verifyChain([])).toMatchObject({ ok: true, value: { entries: 0, head: { seq: 0, hash: genesisHash } } })
  })

  test('may be read from an asynchronous source', async () => {
    async function* read() {
      yield* makeChain(3)
    }
    expect((await verifyChain(read())).ok).toBe(true)
  })

  test('holds with payloads erased, which it says', async () => {
    const entries = change(makeChain(5), 3, { body: null })
    expect(await verifyChain(entries)).toMatchObject({ ok: true, value: { payloadsChecked: 4, payloadsErased: 1 } })
  })

  test('can be verified from a known head on, and up to one', async () => {
    const entries = makeChain(6)
    const [second, last] = [entries[1], entries[5]]
    if (!second || !last) throw new Error('a chain of six has a second and a sixth')
    expect((await verifyChain(entries.slice(2), { after: second, head: last })).ok).toBe(true)
  })
})

describe('a chain that does not hold is named by its first bad entry', () => {
  const entries = makeChain(6)
  const head = { seq: 6, hash: entries[5]?.hash ?? '' }
  const without = (seq: number) => entries.filter((entry) => entry.seq !== seq)
  const swapped = [...entries.slice(0, 2), ...entries.slice(2, 4).reverse(), ...entries.slice(4)]
  const foreign = makeChain(2)[1]

  test.each<[string, VerifiableEntry[], number, string]>([
    ['an edited time', change(entries, 3, { at: 1 }), 3, 'hash'],
    ['an edited kind', change(entries, 3, { kind: 'grant' }), 3, 'hash'],
    ['an edited owner', change(entries, 3, { ownerId: 'user_2' }), 3, 'hash'],
    ['an edited id', change(entries, 3, { id: 'beat_x' }), 3, 'hash'],
    ['an entry with a hash made to fit', forge(entries, 3, { at: 1 }), 4, 'previous'],
    ['an edited payload', change(entries, 4, { body: { salt, payload: { text: 'other' } } }), 4, 'payload'],
    ['a payload under another salt', change(entries, 4, { body: { salt: Buffer.alloc(16, 8), payload: {} } }), 4, 'payload'],
    ['a digest swapped for another', change(entries, 4, { payloadDigest: entries[0]?.payloadDigest ?? '' }), 4, 'hash'],
    ['a deleted first entry', without(1), 1, 'gap'],
    ['a deleted middle', without(3), 3, 'gap'],
    ['a deleted tail, seen against an exported head', without(6), 6, 'tail'],
    ['a reordering', swapped, 3, 'gap'],
    ['a duplicate', [...entries.slice(0, 3), ...entries.slice(2)], 3, 'order'],
    ['an inserted entry', [...entries.slice(0, 3), ...(foreign ? [{ ...foreign, seq: 4 }] : []), ...entries.slice(3)], 4, 'hash'],
    ['a rewritten end, seen against an exported head', forge(entries, 6, { at: 1 }), 6, 'head'],
    ['another beginning', change(entries, 1, { previous: '0'.repeat(64) }), 1, 'hash'],
  ])('%s', async (_name, chain, seq, flaw) => {
    expect(await verifyChain(chain, { head })).toMatchObject({
      ok: false,
      refusal: { code: 'ledger_broken', details: { seq, flaw } },
    })
  })

  test('a cut-off tail cannot be seen without an exported head, and no verdict says otherwise', async () => {
    expect(await verifyChain(without(6))).toMatchObject({ ok: true, value: { head: { seq: 5 } } })
  })
})

test('a stranger gets the same hash from the canonical JSON of an entry without its hash', () => {
  const [entry] = makeChain(1)
  if (!entry) throw new Error('a chain of one has a first')
  const { hash: own, body: _body, ...rest } = entry
  expect(hash('sha256', canonicalise(rest), 'hex')).toBe(own)
})

test('the digest of a payload depends on its salt, and a short salt is a fault', () => {
  expect(payloadDigest(salt, { a: 1 })).toBe(payloadDigest(Buffer.from(salt), { a: 1 }))
  expect(payloadDigest(salt, { a: 1 })).not.toBe(payloadDigest(Buffer.alloc(16, 8), { a: 1 }))
  expect(() => payloadDigest(Buffer.alloc(8), {})).toThrow(RangeError)
})
