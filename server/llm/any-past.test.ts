/** Whatever a ledger holds of a chat, the next request is one that the strictest server takes. */
import { admitHarness, createToolRegistry, type Ports, readPast, runTurn, standingBeats } from '@bridlewise/engine'
import { makeRefusal } from '@bridlewise/shared/refusals'
import { type Beat, type BeatDraft, type IdNoun, makeId, type Profile } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { createDice, type Dice } from '../../tests/support/dice.ts'
import { findRefusable } from '../../tests/support/strict-body.ts'
import { writeBody } from './body.ts'
import { choke } from './choke.ts'
import { startingProfile } from './profile.ts'
import { fitToolNames } from './tool-names.ts'
import { leaveForeignThoughts } from './vendor-fields.ts'

const endpoint = 'http://127.0.0.1:9/v1'
const speaker = { endpoint, modelId: 'm' }
const headline = { verb: 'Do', object: 'it' }
const names = ['look', 'a_tool_whose_name_goes_on_and_on', 'server.tool/with marks', 'no such tool']
const tools = names.slice(0, 3).map((name) => ({ name, description: 'Does.', parameters: {} }))

let serial = 0
const nextId = (noun: IdNoun) => makeId(noun, ++serial, new Uint8Array(16))

type Draft = BeatDraft & { readonly id?: string }
/** Something that happens in a chat, at a place of its ledger. */
type Step = (dice: Dice, seq: number) => readonly Draft[]

const words = ['Go on.', 'Ünïcode 🙂', '', ' \n']
const back = (dice: Dice, seq: number) => Math.max(0, seq - dice.number(40))

const steps: readonly Step[] = [
  (dice) => [said('user', dice.pick(words))],
  (dice) => [...answer(dice)],
  (dice) => [...answer(dice)],
  (dice) => [...answer(dice)],
  (dice, seq) => [{ kind: 'boundary', source: 'user', payload: { upTo: back(dice, seq) } }],
  (dice, seq) => [summary(back(dice, seq))],
  (dice, seq) => [rewind(Math.max(1, back(dice, seq)))],
  (dice, seq) => [quarantine([{ seq: back(dice, seq), message: dice.number(3), label: 'One' }])],
  (dice) => [nudged(dice.pick(words))],
  () => [started()],
  () => [started('compact')],
  () => [{ kind: 'goal', source: 'user', payload: { text: 'Ship it.' } }],
  () => [result(nextId('call'), 'stray')],
]

function throwProfile(dice: Dice): Profile {
  return {
    ...startingProfile('custom', 'm'),
    instructions: dice.pick(['system', 'developer', 'user']),
    toolNameLength: dice.pick([16, 64]),
    reasoning: dice.pick<Profile['reasoning']>([
      { field: 'reasoning_content', back: 'echo' },
      { field: null, back: 'strip' },
    ]),
  }
}

it('is taken by the strictest server, whatever happened before', async () => {
  for (let seed = 0; seed < 400; seed += 1) {
    const dice = createDice(seed)
    const beats = throwLedger(dice)
    const profile = throwProfile(dice)
    const body = await sendNext(beats, profile, dice.pick(words))
    expect(findRefusable(body, profile), `seed ${seed}: ${body}`).toEqual([])
  }
})

/** The body of the request that a turn makes after all that. */
async function sendNext(beats: readonly Beat[], spoken: Profile, prompt: string): Promise<string> {
  const { history, ...context } = readPast(standingBeats(beats), { ...speaker, reasoning: spoken.reasoning.back })
  let body = ''
  const port = fitToolNames(
    {
      fixture: false,
      async *stream(request) {
        const choked = choke(leaveForeignThoughts(request, endpoint), null)
        if (choked.ok) body = writeBody(choked.value, spoken)
        yield { type: 'failed', refusal: makeRefusal('endpoint_broke_off') }
      },
    },
    () => spoken.toolNameLength,
  )
  const model: Ports['model'] = { ...port, stream: (request, signal) => port.stream({ ...request, tools }, signal) }
  const turn = runTurn(
    {
      ports: portsWith(model),
      grants: admitHarness(),
      tools: createToolRegistry([]),
      scope: { runId: nextId('run'), chatId: nextId('chat'), mode: 'act', project: null },
      reportFault: (fault) => {
        throw fault
      },
    },
    { modelId: 'm', prompt, history, context },
    new AbortController().signal,
  )
  while (!(await turn.next()).done);
  return body
}

function portsWith(model: Ports['model']): Ports {
  const write = (draft: BeatDraft) => placed(draft, 1)
  return {
    model,
    process: { run: () => Promise.reject(new Error('this test starts no process')) },
    ledger: { append: async (draft) => write(draft) as never, appendTogether: async (work) => work(write as never) },
    versions: {
      keep: async () => 'not_kept',
      drop: async () => undefined,
      begin: async () => ({ tag: '', done: async () => undefined }),
    },
    blobs: { put: () => Promise.reject(new Error('this test keeps nothing')) },
    approvals: { ask: async () => ({ ok: true, value: 'allowed' }) },
    clock: { now: () => 0, elapsed: () => 0 },
    ids: { next: nextId },
  }
}

function throwLedger(dice: Dice): Beat[] {
  const beats: Beat[] = []
  for (let left = dice.number(14); left > 0; left -= 1) {
    for (const draft of dice.pick(steps)(dice, beats.length + 1)) beats.push(placed(draft, beats.length + 1))
  }
  return beats
}

function placed(draft: BeatDraft, seq: number): Beat {
  return { id: nextId('beat'), runId: null, chatId: null, at: 0, seq, derivation: [], ...draft } as Beat
}

function said(role: 'user' | 'assistant', text: string): BeatDraft {
  return {
    kind: 'message',
    source: role === 'user' ? 'user' : 'model',
    payload: { messageId: nextId('message'), role, text },
  }
}

/** Words and calls, each of which came to its end or did not, with what the person said meanwhile and what children did. */
function* answer(dice: Dice): Generator<Draft> {
  const step = dice.number(4)
  const derivation = [nextId('beat')]
  const ids = Array.from({ length: dice.number(4) }, () => nextId('call'))
  const thinks = dice.pick([null, endpoint, 'http://127.0.0.1:10/v1'])
  if (thinks !== null) {
    const calls = Object.fromEntries(ids.map((id) => [id, { signature: 's' }]))
    const thought = { field: 'reasoning_content', reasoning: 'Hm.', extra: { details: ['d'] }, calls }
    yield { kind: 'thought', source: 'model', derivation, payload: { step, ...speaker, endpoint: thinks, ...thought } }
  }
  if (dice.number(4) > 0) yield { ...said('assistant', dice.pick(words)), derivation }
  for (const callId of ids) {
    const tool = dice.pick(names)
    const made = { callId, step, tool, headline, input: dice.pick<unknown>([{ path: 'a' }, {}, '{"cut', [1], null]) }
    const end = dice.pick(['result', 'result', 'two results', 'none', 'blocked'])
    if (end === 'blocked') {
      const refusal = makeRefusal('tool_loop', { tool, times: 2 })
      yield { kind: 'blocked', source: 'gate', derivation, payload: { ...made, refusal } }
    } else yield { kind: 'call', source: 'model', derivation, payload: { ...made, capability: 'read' } }
    if (dice.number(4) === 0)
      for (const role of ['user', 'assistant'] as const) yield { ...said(role, 'Of a child.'), within: callId }
    if (dice.number(4) === 0) yield said('user', 'Wait.')
    if (end === 'result' || end === 'two results') yield result(callId, dice.pick(words))
    if (end === 'two results') yield result(callId, 'again')
  }
}

function result(callId: string, text: string): BeatDraft {
  const details = { kind: 'text' as const, text }
  const payload = { callId, tool: 'look', status: 'done' as const, summary: '', text, details, ms: 0, refusal: null, spill: null }
  return { kind: 'result', source: 'tool', payload }
}

function summary(upTo: number): BeatDraft {
  const figures = { messages: 1, method: 'summary' as const, reason: 'asked' as const, tokensBefore: 2, tokensAfter: 1 }
  return { kind: 'compaction', source: 'server', payload: { upTo, summary: 'It went well.', ...figures } }
}

function rewind(to: number): BeatDraft {
  const files = { restored: 0, removed: 0, kept: 0 }
  return {
    kind: 'rewind',
    source: 'user',
    payload: { rewindId: nextId('rewind'), mode: 'conversation', to, retracts: true, files },
  }
}

function started(task?: 'compact'): BeatDraft {
  const model = { providerId: 'p', modelId: 'm', label: 'M' }
  const payload = { model, mode: 'act' as const, fixture: false, project: null, grant: { basis: '', digest: '' } }
  return { kind: 'run_started', source: 'server', payload: task ? { ...payload, task } : payload }
}

function quarantine(items: { readonly seq: number; readonly message: number; readonly label: string }[]): BeatDraft {
  return { kind: 'quarantine', source: 'server', payload: { items, refusal: makeRefusal('endpoint_broke_off') } }
}

function nudged(nudge: string): BeatDraft {
  const messageId = nextId('message')
  return { kind: 'claims', source: 'server', payload: { messageId, claims: [], recheck: null, fabrication: null, nudge } }
}
