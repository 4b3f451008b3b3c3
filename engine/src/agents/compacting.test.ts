import type { BeatDraft, ModelMessage } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { estimateRequest, readPast } from './context/index.ts'
import { createId, placeBeat, playTurn, type TestTurn } from './test-turn.ts'

const model = { endpoint: 'script', modelId: 'scripted', reasoning: 'strip' } as const
const said = (role: 'user' | 'assistant', text: string): BeatDraft => ({
  kind: 'message',
  source: role === 'user' ? 'user' : 'model',
  payload: { messageId: createId('message'), role, text },
})
/** A chat of so many exchanges, each of about 500 tokens, as the ledger holds it. */
const chatOf = (exchanges: number) =>
  Array.from({ length: exchanges }, (_, at) => [
    said('user', `Question ${at}. ${'word '.repeat(190)}`),
    said('assistant', `Answer ${at}. ${'word '.repeat(190)}`),
  ])
    .flat()
    .map((draft, at) => placeBeat(draft, at + 1))

const beats = chatOf(20)
const history = readPast(beats, model).history
const promptSeq = beats.length + 1
/** The window of these tests takes three requests for the summary; the last one's words count. */
const summaries = [{ text: 'One.' }, { text: 'Two.' }, { text: 'They spoke of words.' }]
const textsOf = (messages: readonly ModelMessage[] = []) => messages.map(({ text }) => text).join('\n')
const play = (test: Partial<TestTurn> & { readonly context: NonNullable<TestTurn['input']>['context'] }) =>
  playTurn({
    answers: [],
    ...test,
    scope: { project: null },
    input: { history, prompt: 'And now?', context: { promptSeq, ...test.context } },
  })

describe('a chat that outgrows the window', () => {
  const window = 8_000

  it('is summarised first, and the request after that is below the threshold and holds what is recent', async () => {
    await using turn = await play({
      answers: [...summaries, { text: 'Fine.' }],
      context: { window, goal: 'Count words.' },
    })
    expect(turn.outcome).toMatchObject({ kind: 'completed', steps: 4 })
    const [compaction] = turn.payloads('compaction')
    expect(compaction).toMatchObject({ method: 'summary', reason: 'threshold' })
    expect(compaction?.summary).toContain('They spoke of words.')
    expect(compaction?.summary).toContain('Goal: Count words.')
    expect(compaction?.tokensAfter).toBeLessThan(window * 0.8)
    const [asked, , , sent] = turn.model.requests
    expect(asked?.tools).toEqual([])
    expect(sent && estimateRequest(sent)).toBeLessThan(window * 0.8)
    expect(textsOf(sent?.messages)).toMatch(/as a summary[\s\S]*> They spoke of words\.[\s\S]*Answer 19[\s\S]*And now\?/)
    expect(textsOf(sent?.messages)).not.toContain('Question 0.')
  })

  it('reads the same from the ledger afterwards as it was sent', async () => {
    await using turn = await play({ answers: [...summaries, { text: 'Fine.' }], context: { window } })
    const sent = turn.model.requests[3]?.messages.slice(1)
    const asked = placeBeat(said('user', 'And now?'), promptSeq)
    const later = [...beats, asked, ...turn.beats.map((beat, at) => ({ ...beat, seq: promptSeq + 1 + at }))]
    expect(readPast(later, model).history.slice(0, sent?.length)).toEqual(sent)
  })

  it('is left alone below the threshold, and where nobody knows the window', async () => {
    await using roomy = await play({ answers: [{ text: 'Fine.' }], context: { window: 64_000 } })
    await using unknown = await play({ answers: [{ text: 'Fine.' }], context: { window: null } })
    for (const turn of [roomy, unknown]) {
      expect(turn.payloads('compaction')).toEqual([])
      expect(turn.model.requests[0]?.messages).toHaveLength(history.length + 2)
    }
  })

  it('is summarised in several requests when one cannot hold what is old', async () => {
    const answers = Array.from({ length: 8 }, (_, at) => ({ text: `Summary ${at}.` }))
    await using turn = await play({ answers, context: { window: 3_000 } })
    const asked = turn.model.requests.filter(({ messages }) => textsOf(messages).includes('You summarise'))
    expect(asked.length).toBeGreaterThan(2)
    for (const request of asked) expect(estimateRequest(request)).toBeLessThan(3_000)
    expect(textsOf(asked[1]?.messages)).toContain('> Summary 0.')
  })

  it.each([
    ['empty', { text: ' ' }],
    ['longer than what it stands for', { text: 'word '.repeat(30_000) }],
    ['cut off', { text: 'They spoke', ends: 'length' as const }],
  ])('goes on with its recent turns word for word when the summary is %s', async (_case, summary) => {
    await using turn = await play({ answers: [summary, { text: 'Fine.' }], context: { window } })
    expect(turn.payloads('compaction')).toMatchObject([{ method: 'tail' }])
    expect(textsOf(turn.model.requests[1]?.messages)).toMatch(/left out here without a summary[\s\S]*And now\?/)
    expect(turn.outcome.kind).toBe('completed')
  })

  it('ends with what is fixed, and without a request, when no summary could be enough', async () => {
    const goal = 'goal '.repeat(10_000)
    await using turn = await play({ answers: [{ text: 'A summary.' }], context: { window, goal } })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'context_irreducible' } })
    expect(turn.outcome.kind === 'failed' && turn.outcome.refusal.details?.['fixed']).toBeGreaterThan(window)
    expect(turn.model.requests).toEqual([])
  })

  it('is never summarised twice without anything new', async () => {
    // After this much of fixed context a summary cannot bring it below the threshold, only below the window.
    const goal = 'goal '.repeat(4_600)
    const call = { calls: [{ name: 'ghost', arguments: {} }] }
    await using turn = await play({ answers: [{ text: 'Short.' }, call, call, { text: 'Fine.' }], context: { window, goal } })
    expect(turn.payloads('compaction').length).toBeLessThanOrEqual(1)
  })

  it('changes nothing when it is stopped meanwhile', async () => {
    await using turn = await play({
      answers: [{ text: 'They', ends: 'waits' }],
      context: { window },
      onEvent: (event, abort) => event.type === 'beat' && event.beat.kind === 'request' && abort(),
    })
    expect(turn.outcome.kind).toBe('cancelled')
    expect(turn.payloads('compaction')).toEqual([])
  })
})

describe('a summary that a person asks for', () => {
  it('is made and nothing else is asked of the model', async () => {
    await using turn = await play({ answers: [{ text: 'They spoke of words.' }], context: { task: 'compact' } })
    expect(turn.outcome).toMatchObject({ kind: 'completed', steps: 1 })
    expect(turn.payloads('compaction')).toMatchObject([{ method: 'summary', reason: 'asked' }])
    expect(turn.payloads('message')).toEqual([])
    expect(turn.events.filter(({ type }) => type === 'text')).toEqual([])
  })

  it('is refused when everything is short enough to be sent as it is', async () => {
    await using turn = await playTurn({
      answers: [{ text: 'A summary.' }],
      input: { history: history.slice(-2), context: { task: 'compact' } },
    })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'compaction_pointless' } })
    expect(turn.model.requests).toEqual([])
  })
})

describe('a result that is too large for the window', () => {
  const noise = Array.from({ length: 900 }, (_, at) => `line ${at} of a long file`).join('\n')

  it('is shortened first, says where it lies whole, and keeps its call', async () => {
    await using turn = await playTurn({
      answers: [{ calls: [{ name: 'read_file', arguments: { path: 'noise.txt' } }] }, { text: 'Fine.' }],
      files: { 'noise.txt': noise },
      input: { context: { window: 5_000 } },
    })
    const last = turn.model.requests[1]?.messages.at(-1)
    expect(last).toMatchObject({ role: 'tool', text: expect.stringMatching(/left out to fit the window.*at entry \d+/) })
    expect(turn.payloads('compaction')).toEqual([])
    expect(turn.payloads('result')[0]?.text).toContain('line 450 of a long file')
    expect(turn.outcome.kind).toBe('completed')
  })

  it('is sent whole where there is room', async () => {
    await using turn = await playTurn({
      answers: [{ calls: [{ name: 'read_file', arguments: { path: 'noise.txt' } }] }, { text: 'Fine.' }],
      files: { 'noise.txt': noise },
      input: { context: { window: 100_000 } },
    })
    expect(turn.model.requests[1]?.messages.at(-1)?.text).toContain('line 450 of a long file')
  })
})

describe('the meter', () => {
  const usage = { inputTokens: 3_000, outputTokens: 5, cachedTokens: 0 }

  it('counts every part of the request, and its own error after the endpoint reported', async () => {
    const files = { 'AGENTS.md': 'Use tabs.\n'.repeat(50) }
    const call = { calls: [{ name: 'list_files', arguments: {} }], usage }
    await using turn = await playTurn({
      answers: [call, { text: 'Fine.' }],
      files,
      input: { context: { window: 64_000, goal: 'Tidy.' } },
    })
    const [first, second] = turn.payloads('request').map(({ context }) => context)
    expect(first).toMatchObject({ window: 64_000, correction: 1, instructions: [{ path: 'AGENTS.md', scope: 'project' }] })
    const parts = Object.values(first?.parts ?? {})
    expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(first?.tokens)
    for (const part of ['system', 'instructions', 'goal', 'tools', 'history'] as const)
      expect(first?.parts[part]).toBeGreaterThan(0)
    const sent = turn.model.requests[0]
    expect(Math.abs((first?.tokens ?? 0) - (sent ? estimateRequest(sent) : 0))).toBeLessThan(8)
    expect(second?.parts.results).toBeGreaterThan(0)
    expect(second?.correction).not.toBe(1)
  })

  it('forgets nothing of it in the next turn, for that endpoint and model alone', async () => {
    await using turn = await playTurn({ answers: [{ text: 'Fine.', usage }] })
    expect(readPast(turn.beats, model).correction).not.toBe(1)
    expect(readPast(turn.beats, { ...model, modelId: 'another' }).correction).toBe(1)
  })

  it('does not believe an absurd report', async () => {
    const absurd = { inputTokens: 9_000_000, outputTokens: 1, cachedTokens: 0 }
    await using turn = await playTurn({ answers: [{ text: 'Fine.', usage: absurd }] })
    expect(readPast(turn.beats, model).correction).toBeLessThanOrEqual(3)
  })
})
