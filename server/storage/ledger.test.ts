import { hash } from 'node:crypto'
import { payloadDigest } from '@bridlewise/engine'
import type { BeatDraft, Outcome } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore, type TempStore } from '../../tests/support/store.ts'
import { digestBody, writeBody } from './beat-body.ts'

const finding = (title: string): BeatDraft => ({
  kind: 'finding',
  source: 'server',
  payload: { severity: 'info', title, text: '', evidence: [] },
})

describe('the ledger', () => {
  it('numbers beats without gaps in the order they were handed over, across a restart', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const first = await Promise.all(['a', 'b', 'c'].map((title) => temp.store.ledger.append(scope, finding(title))))
    await temp.reopen()
    const later = temp.store.ledger.write(scope, finding('d'))
    const { items } = temp.store.ledger.list(scope, { runId: scope.runId, limit: 10 })
    expect(items).toEqual([...first, later])
    expect(items.map((beat) => beat.seq)).toEqual([1, 2, 3, 4])
    const { hash: head } = temp.store.ledger.head()
    expect(await temp.store.ledger.verify()).toEqual({
      valid: true,
      entries: 4,
      erased: 0,
      head,
      receipt: `4:${head}`,
      broken: null,
    })
  })

  it('says whose child a beat is, sealed and digested with the rest; one that is nobody’s stands as it always did', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const within = newId('call')
    const beats = [temp.store.ledger.write(scope, { ...finding('a'), within }), temp.store.ledger.write(scope, finding('b'))]
    await temp.reopen()
    const { items } = temp.store.ledger.list(scope, { runId: scope.runId, limit: 10 })
    expect(items).toEqual(beats)
    expect(items.map((beat) => beat.within)).toEqual([within, undefined])
    expect(writeBody(Buffer.alloc(16), { ...finding('a'), within }).text).toContain(within)
    expect(writeBody(Buffer.alloc(16), finding('b')).text).not.toContain('within')
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, entries: 2 })
  })

  it('digests a payload as the engine does', () => {
    const salt = Buffer.alloc(16, 7)
    const draft = finding('ä')
    const body = { source: draft.source, derivation: [], payload: draft.payload }
    const { text } = writeBody(salt, draft)
    expect(digestBody(text)).toBe(payloadDigest(salt, body))
    expect(digestBody(text)).toBe(hash('sha256', text, 'hex'))
  })

  it('takes its place back when the transaction around it is undone', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const undo = () =>
      temp.store.transaction(() => {
        temp.store.ledger.write(scope, finding('undone'))
        throw new Error('no')
      })
    temp.store.ledger.write(scope, finding('a'))
    expect(undo).toThrow('no')
    expect(temp.store.ledger.write(scope, finding('b')).seq).toBe(2)
    expect((await temp.store.ledger.verify()).valid).toBe(true)
  })

  it('orders by place and not by a clock that was put back', async () => {
    let time = 1_000_000
    await using temp = await openTempStore(() => time)
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    temp.store.ledger.write(scope, finding('before'))
    time -= 500_000
    temp.store.ledger.write(scope, finding('after'))
    const { items } = temp.store.ledger.list(scope, { limit: 10 })
    expect(items.map((beat) => [beat.seq, beat.at])).toEqual([
      [1, 1_000_000],
      [2, 500_000],
    ])
  })

  it('records text with half a character, replaced, rather than failing the run', async () => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    const beat = await temp.store.ledger.append(scope, finding('half \ud83d'))
    expect(temp.store.ledger.list(scope, { limit: 1 }).items).toEqual([beat])
    expect(beat.payload).toMatchObject({ title: 'half \ufffd' })
    expect((await temp.store.ledger.verify()).valid).toBe(true)
  })

  it('lists one run, one chat or all of an owner, page by page, and nothing of others', async () => {
    await using temp = await openTempStore()
    const ann = addRun(temp.store, addUser(temp, 'ann'))
    const bob = addRun(temp.store, addUser(temp, 'bob'))
    const sibling = { ...ann, runId: newId('run') }
    for (const scope of [ann, bob, sibling, ann]) temp.store.ledger.write(scope, finding('x'))
    const seqs = (owner: typeof ann, filter: object) =>
      temp.store.ledger.list(owner, { limit: 10, ...filter }).items.map((beat) => beat.seq)
    expect(seqs(ann, { runId: ann.runId })).toEqual([1, 4])
    expect(seqs(ann, { chatId: ann.chatId })).toEqual([1, 3, 4])
    expect(seqs(ann, {})).toEqual([1, 3, 4])
    for (const filter of [{ runId: ann.runId }, { chatId: ann.chatId }]) expect(seqs(bob, filter)).toEqual([])
    const page = temp.store.ledger.list(ann, { limit: 2 })
    expect(page.items.map((beat) => beat.seq)).toEqual([1, 3])
    expect(seqs(ann, { after: page.next })).toEqual([4])
    expect(seqs(ann, { after: 'nonsense' })).toEqual([])
  })

  it('still verifies after a chat was removed, and says how many payloads are gone', async () => {
    await using temp = await openTempStore()
    const owner = addUser(temp, 'ann')
    const [kept, removed] = [addRun(temp.store, owner), addRun(temp.store, owner)]
    for (const scope of [removed, kept, removed]) temp.store.ledger.write(scope, finding('x'))
    endRun(temp, removed)
    expect(temp.store.chats.remove(owner, removed.chatId)).toEqual({ ok: true, value: 'removed' })
    expect(await temp.store.ledger.verify()).toMatchObject({ valid: true, entries: 3, erased: 2 })
    expect(temp.store.ledger.list(owner, { limit: 10 }).items.map((beat) => beat.seq)).toEqual([2])
  })

  it('stops verifying when it is told to', async () => {
    await using temp = await openTempStore()
    temp.store.ledger.write(addRun(temp.store, addUser(temp, 'ann')), finding('x'))
    await expect(temp.store.ledger.verify(AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  })
})

function endRun(temp: TempStore, scope: ReturnType<typeof addRun>): void {
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  const outcome: Outcome = { kind: 'completed', steps: 0, calls: 0, filesChanged: [], usage, ms: 0 }
  temp.store.runs.end(scope, scope.runId, { outcome, at: 2 })
}
