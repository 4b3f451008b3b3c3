import { readPast, standingBeats } from '@bridlewise/engine'
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { BeatDraft } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, newId, openTempStore, type TempStore } from '../../tests/support/store.ts'
import { readStanding } from './past-beats.ts'

const model = { endpoint: 'http://127.0.0.1:9/v1', modelId: 'm', reasoning: 'strip' as const }

const said = (text: string): BeatDraft => ({
  kind: 'message',
  source: 'user',
  payload: { messageId: newId('message'), role: 'user', text },
})
const goal = (text: string): BeatDraft => ({ kind: 'goal', source: 'user', payload: { text } })
const boundary = (upTo: number): BeatDraft => ({ kind: 'boundary', source: 'user', payload: { upTo } })
const summary = (upTo: number): BeatDraft => ({
  kind: 'compaction',
  source: 'server',
  payload: { upTo, messages: 1, summary: 'It was.', method: 'summary', reason: 'asked', tokensBefore: 2, tokensAfter: 1 },
})
const quarantine = (seq: number): BeatDraft => ({
  kind: 'quarantine',
  source: 'server',
  payload: { items: [{ seq, message: 0, label: 'One' }], refusal: makeRefusal('endpoint_broke_off') },
})
const changed = (target: string): BeatDraft => ({
  kind: 'effect',
  source: 'tool',
  payload: { callId: null, effect: 'file', target, before: null, after: null, diff: null },
})
const rewind = (to: number): BeatDraft => ({
  kind: 'rewind',
  source: 'user',
  payload: {
    ...{ rewindId: newId('rewind'), mode: 'conversation', to, retracts: true },
    files: { restored: 0, removed: 0, kept: 0 },
  },
})
const long = Array.from({ length: 9 }, (_, at) => said(`word ${at}`))

describe('the past of a chat', () => {
  it.each<[string, BeatDraft[], number]>([
    ['that was never summarised', [...long, goal('g')], 10],
    ['behind a summary', [goal('g'), changed('a.ts'), ...long, summary(9)], 3],
    ['behind a summary that was taken back', [...long, summary(8), rewind(10)], 10],
    ['behind a boundary that the person moved', [...long, summary(8), boundary(4)], 6],
    ['with a message left out before the boundary and one after', [...long, quarantine(2), quarantine(9), summary(8)], 2],
  ])('%s is the whole past, and no more is opened than counts', async (_, drafts, opened) => {
    await using temp = await openTempStore()
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    for (const draft of drafts) temp.store.ledger.write({ ...scope, runId: null }, draft)
    temp.store.ledger.write(scope, said('the question of this run'))
    const whole = temp.store.ledger.list(scope, { chatId: scope.chatId, limit: 100 }).items.slice(0, -1)
    expect(readPast(readStanding(temp.store, scope), model)).toEqual(readPast(standingBeats(whole), model))
    expect(countOpened(temp, scope)).toBe(opened)
  })
})

/** Messages that are opened on the way, the one of the run itself among them. */
function countOpened({ store: { ledger } }: TempStore, scope: ReturnType<typeof addRun>): number {
  let opened = 0
  const count = <T extends { readonly kind: string }>(beats: readonly T[]) => {
    opened += beats.filter(({ kind }) => kind === 'message').length
    return beats
  }
  const list: typeof ledger.list = (owner, filter) => {
    const page = ledger.list(owner, filter)
    count(page.items)
    return page
  }
  readStanding({ ledger: { ...ledger, list, newest: (owner, filter) => count(ledger.newest(owner, filter)) } }, scope)
  return opened
}
