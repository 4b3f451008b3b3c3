/** For the tests of this room: a turn on a temporary project, with a scripted model and everything it did at hand. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Beat, type BeatDraft, type BeatKind, type BeatOf, type IdNoun, makeId, type Outcome } from '@bridlewise/shared/wire'
import {
  admitHarness,
  type Grants,
  nothingKept,
  type Ports,
  type ProcessOutcome,
  type ProcessSpec,
  type WriteBeat,
} from '../kernel/index.ts'
import { builtinTools, createToolRegistry, type Tool } from '../tools/index.ts'
import type { Purse } from './purse.ts'
import { createScriptedModel, type ScriptedAnswer, type ScriptedModel } from './scripted-model.ts'
import { runTurn } from './turn.ts'
import type { RunScope, TurnContext, TurnEvent, TurnInput } from './turn-types.ts'

export interface TestTurn {
  readonly answers: readonly ScriptedAnswer[]
  readonly files?: Readonly<Record<string, string>>
  readonly tools?: readonly Tool[]
  readonly scope?: Partial<RunScope>
  readonly input?: Partial<TurnInput>
  readonly ports?: Partial<Ports>
  readonly grants?: Grants
  readonly purse?: Purse
  readonly process?: (spec: ProcessSpec, signal: AbortSignal) => Promise<ProcessOutcome>
  /** Stopped before it begins. */
  readonly aborted?: true
  /** Called with every event before the next is asked for; may abort. */
  readonly onEvent?: (event: TurnEvent, abort: () => void) => void
}

export interface PlayedTurn extends AsyncDisposable {
  readonly root: string
  readonly model: ScriptedModel
  readonly events: readonly TurnEvent[]
  readonly beats: readonly Beat[]
  readonly outcome: Outcome
  readonly faults: readonly unknown[]
  /** The payloads of one kind of beat, in order. */
  payloads<K extends BeatKind>(kind: K): BeatOf<K>['payload'][]
}

/** Play a turn from start to end. */
export async function playTurn(test: TestTurn): Promise<PlayedTurn> {
  const root = await mkdtemp(join(tmpdir(), 'turn-'))
  for (const [path, text] of Object.entries(test.files ?? {})) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const model = createScriptedModel(test.answers)
  const beats: Beat[] = []
  const faults: unknown[] = []
  const context: TurnContext = {
    ports: { ...createPorts(beats, test), model, ...test.ports },
    grants: test.grants ?? admitHarness(),
    tools: createToolRegistry(test.tools ?? builtinTools),
    ...(test.purse ? { purse: test.purse } : {}),
    scope: {
      runId: createId('run'),
      chatId: createId('chat'),
      mode: 'act',
      project: { id: createId('project'), name: 'sample', root },
      ...test.scope,
    },
    reportFault: (fault) => `fault-${faults.push(fault)}`,
  }
  const events: TurnEvent[] = []
  const stop = new AbortController()
  if (test.aborted) stop.abort()
  const turn = runTurn(context, { modelId: 'scripted', prompt: 'Do it.', history: [], ...test.input }, stop.signal)
  let next = await turn.next()
  for (; !next.done; next = await turn.next()) {
    events.push(next.value)
    test.onEvent?.(next.value, () => stop.abort())
  }
  return {
    root,
    model,
    events,
    beats,
    outcome: next.value,
    faults,
    payloads: (kind) => beats.filter((beat) => beat.kind === kind).map((beat) => beat.payload) as never,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

let serial = 0

/** Ids that sort in the order they were made. */
export function createId(noun: IdNoun): string {
  serial += 1
  return makeId(noun, serial, new Uint8Array(16))
}

/** A beat as the ledger would hold it. */
export function placeBeat(draft: BeatDraft, seq: number): Beat {
  const place = { id: createId('beat'), seq, runId: null, chatId: null, at: 0 }
  return structuredClone({ ...draft, ...place, derivation: [...(draft.derivation ?? [])] }) as Beat
}

function createPorts(beats: Beat[], test: TestTurn): Omit<Ports, 'model'> {
  const write = (draft: BeatDraft) => {
    const beat = placeBeat(draft, beats.length + 1)
    beats.push(beat)
    return beat
  }
  return {
    process: { run: test.process ?? (async () => Promise.reject(new Error('this test starts no process'))) },
    ledger: {
      append: async (draft) => write(draft),
      appendTogether: async (work) => work(write as WriteBeat),
    },
    versions: nothingKept,
    blobs: { put: async (text) => ({ ref: 'blob', bytes: Buffer.byteLength(text) }) },
    approvals: { ask: async () => ({ ok: true, value: 'allowed' }) },
    clock: { now: () => 0, elapsed: () => performance.now() },
    ids: { next: createId },
  }
}
