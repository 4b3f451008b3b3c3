/**
 * The room of runs with everything real but the model endpoint and the guardian: a store on disk, the
 * bridge, the engine with its tools, and a process port that does what the test says.
 */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { admitHarness, builtinTools, createToolRegistry, type ProcessOutcome, type ProcessPort } from '@bridlewise/engine'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Frame, Receipt, Run } from '@bridlewise/shared/wire'
import { createBudget } from '../../server/budget/index.ts'
import { type Bridge, createBridge, type ModelLimits } from '../../server/llm/bridge.ts'
import type { Dispatcher } from '../../server/network/index.ts'
import { createFeed, createRuns, type Feed, type RunControl, type RunLimits, type StartRequest } from '../../server/runs/index.ts'
import type { Owner, Store } from '../../server/storage/index.ts'
import type { Script } from './script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from './scripted-endpoint.ts'
import { addUser, newId, openTempStore, type TempStore } from './store.ts'
import { straight } from './straight.ts'

export interface RunRoomOptions {
  readonly limits?: Partial<RunLimits>
  readonly modelLimits?: Partial<ModelLimits>
  readonly fixtures?: boolean
  /** What the room gets in place of its store, for a disk that fails it. */
  readonly over?: (store: Store) => Store
  /** How commands end; at once with exit code 0 unless given. */
  readonly runProcess?: ProcessPort['run']
}

export interface RunRoom extends AsyncDisposable {
  readonly temp: TempStore
  readonly owner: Owner
  /** What broke on our side; empty in a good test. */
  readonly faults: unknown[]
  store: Store
  feed: Feed
  bridge: Bridge
  dispatcher: Dispatcher
  runs: RunControl
  /** Start with what a test rarely cares about filled in. */
  start(request: Partial<StartRequest>): ReturnType<RunControl['start']>
  /** Every frame of a run until its stream ends. */
  watch(runId: string, lastSeen?: number | null): Promise<Frame[]>
  /** A provider at an endpoint, chosen for new runs. */
  addProvider(baseUrl: string, more?: { readonly kind?: string; readonly apiKey?: string }): string
  /** A directory with one file `notes.txt`, as a project. */
  addProject(): Promise<{ readonly id: string; readonly root: string }>
  /** Forget what is in memory, as a process that dies does, and open everything again. */
  restart(): Promise<void>
}

const quietReceipt: Receipt = {
  guardian: 'none',
  abi: 0,
  layers: [],
  notCovered: [],
  access: 'write',
  network: 'off',
  policy: '',
}

/** How a command ended that a test ran. */
export function exited(output: string, exitCode = 0): ProcessOutcome {
  return {
    kind: 'exited',
    exitCode,
    signal: null,
    output,
    stdout: output,
    bytes: output.length,
    cut: null,
    ms: 1,
    receipt: quietReceipt,
  }
}

/** A command that goes on until it is stopped. */
export async function untilStopped(_spec: unknown, signal: AbortSignal): Promise<ProcessOutcome> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  return { kind: 'cancelled', output: '', stdout: '', bytes: 0, cut: null, ms: 1, receipt: quietReceipt }
}

export async function openRunRoom(options: RunRoomOptions = {}): Promise<RunRoom> {
  const temp = await openTempStore()
  const base = await mkdtemp(join(tmpdir(), 'bridlewise-runs-'))
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const ids = { next: newId }
  const faults: unknown[] = []
  const { fixtures = false, modelLimits = {}, limits = {}, runProcess = async () => exited('') } = options
  const { over = (store) => store } = options

  const build = (opened: Store) => {
    const store = over(opened)
    const feed = createFeed(store)
    const dispatcher = straight()
    const bridge = createBridge({
      ...{ dispatcher, clock, ids, version: '0.0.0', fixtures, limits: modelLimits, fixturePaceMs: 0 },
      onDenied: () => undefined,
    })
    const confinement = { processPort: () => ({ run: runProcess }) }
    const runs = createRuns({
      store,
      feed,
      bridge,
      budget: createBudget({ store, clock }),
      confinement,
      tools: createToolRegistry(builtinTools),
      clock,
      ids,
      grants: () => ok(admitHarness()),
      fixtures,
      reportFault: (fault) => `fault-${faults.push(fault)}`,
      limits,
    })
    return { store, feed, bridge, dispatcher, runs }
  }

  const room: RunRoom = {
    temp,
    owner: addUser(temp, 'ada'),
    faults,
    ...build(temp.store),
    start: (request) => room.runs.start({ ...room.owner, prompt: 'Do it.', mode: 'act', idempotencyKey: null, ...request }),
    async watch(runId, lastSeen = null) {
      const frames: Frame[] = []
      const patience = AbortSignal.timeout(20_000)
      for await (const frame of room.feed.subscribe({ ...room.owner, runId }, lastSeen, patience)) frames.push(frame)
      if (patience.aborted) throw new Error(`The run did not end; its last frame: ${JSON.stringify(frames.at(-1))}`)
      return frames
    },
    addProvider(baseUrl, { kind = 'custom', apiKey } = {}) {
      const draft = {
        id: newId('provider'),
        name: 'Scripted',
        kind,
        baseUrl,
        apiKey: apiKey ?? null,
        models: ['scripted'],
        createdAt: 1,
      }
      const { id } = room.store.providers.create(room.owner, draft)
      room.store.settings.set(room.owner, 'chosenModel', { providerId: id, modelId: 'scripted' })
      return id
    },
    async addProject() {
      const root = await mkdtemp(join(base, 'project-'))
      await writeFile(join(root, 'notes.txt'), 'one\ntwo\n')
      const { dev, ino } = await stat(root, { bigint: true })
      const record = {
        id: newId('project'),
        name: 'notes',
        path: root,
        device: String(dev),
        inode: String(ino),
        demo: false,
        createdAt: 1,
      }
      room.store.projects.create(room.owner, record)
      return { id: record.id, root }
    },
    async restart() {
      room.dispatcher.close()
      Object.assign(room, build(await temp.reopen()))
    },
    async [Symbol.asyncDispose]() {
      await room.runs.close()
      room.dispatcher.close()
      await temp[Symbol.asyncDispose]()
      await rm(base, { recursive: true, force: true })
    },
  }
  return room
}

export interface RunHouse extends AsyncDisposable {
  readonly room: RunRoom
  readonly endpoint: ScriptedEndpoint
}

/** A room whose chosen model stands behind a scripted endpoint. */
export async function openRunHouse(steps: Script['steps'], options: RunRoomOptions = {}): Promise<RunHouse> {
  const endpoint = await startScriptedEndpoint({ steps })
  const room = await openRunRoom(options)
  room.addProvider(endpoint.baseUrl)
  return {
    room,
    endpoint,
    async [Symbol.asyncDispose]() {
      await room[Symbol.asyncDispose]()
      await endpoint.close()
    },
  }
}

/** The value, where a test has nothing to say about a refusal. */
export function mustOk<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${result.refusal.message}`)
  return result.value
}

export function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.refusal.code
}

/** Kinds of frames, those of beats by the beat's own kind. */
export function kindsOf(frames: readonly Frame[]): string[] {
  return frames.map((frame) => (frame.kind === 'beat' ? frame.beat.kind : frame.kind))
}

export function endOf(frames: readonly Frame[]): Run | undefined {
  return frames.flatMap((frame) => (frame.kind === 'ended' ? [frame.run] : []))[0]
}

export function saidIn(frames: readonly Frame[]): string {
  return frames.map((frame) => (frame.kind === 'text' ? frame.text : '')).join('')
}
