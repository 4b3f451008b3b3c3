/**
 * A chat in a real project on a real store, whose runs play written answers through the engine's own turn.
 * Commands do in this process what the test says, so that the tree is watched as it is for a real one.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  admitHarness,
  builtinTools,
  createScriptedModel,
  createToolRegistry,
  historyFromBeats,
  type ProcessOutcome,
  runTurn,
  type ScriptedAnswer,
  standingBeats,
  type WriteBeat,
} from '@bridlewise/engine'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Beat, BeatDraft, ModelMessage } from '@bridlewise/shared/wire'
import { forkChat, previewRewind, type RewindParts, rewindChat } from '../../server/rewinds/index.ts'
import { keepVersions } from '../../server/runs/versions.ts'
import type { Owner, Store } from '../../server/storage/index.ts'
import { addUser, newId, openTempStore, type TempStore } from './store.ts'

export interface RewindRoom extends AsyncDisposable {
  readonly temp: TempStore
  readonly owner: Owner
  readonly root: string
  readonly chatId: string
  readonly faults: unknown[]
  readonly parts: RewindParts
  /** Play one run of a chat; gives its id. A command is written as what it does to the files. */
  play(prompt: string, ...steps: readonly Step[]): Promise<string>
  /** Each file that is to be changed, as `plan path`. */
  plan(target: string): Promise<string[]>
  rewind(target: string, mode?: 'conversation' | 'files' | 'both', decided?: readonly string[]): Promise<Result<unknown>>
  /** All files below the root with their content, hidden ones too. */
  files(): Record<string, string>
  /** What the person does. */
  write(path: string, text: string): void
  /** What a model reads of a chat, as `role: text`. */
  history(chatId?: string): string[]
  fork(upTo?: string): string
}

export type Step =
  | { readonly edit: string; readonly old?: string; readonly new: string }
  | { readonly command: string; readonly does: (at: (path: string) => string) => void }
  | { readonly says: string }
  /** A child that takes these steps. */
  | { readonly delegates: string; readonly steps: readonly Step[] }

export async function openRewindRoom(files: Readonly<Record<string, string>> = {}): Promise<RewindRoom> {
  const temp = await openTempStore()
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'bridlewise-rewind-')))
  const at = (path: string) => join(root, path)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const owner = addUser(temp, 'ada')
  const { dev, ino } = statSync(root, { bigint: true })
  const project = newId('project')
  const pin = { device: String(dev), inode: String(ino) }
  temp.store.projects.create(owner, { id: project, name: 'work', path: root, ...pin, demo: false, createdAt: 1 })
  const chatId = newId('chat')
  temp.store.chats.create(owner, { id: chatId, title: 'Work', projectId: project, createdAt: 1 })
  const faults: unknown[] = []
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const ids = { next: newId }
  const reportFault = (fault: unknown) => `fault-${faults.push(fault)}`
  const parts: RewindParts = {
    get store() {
      return temp.store
    },
    clock,
    ids,
    grants: () => ok(admitHarness()),
    reportFault,
  }

  const room: RewindRoom = {
    temp,
    owner,
    root,
    chatId,
    faults,
    parts,
    async play(prompt, ...steps) {
      const { store } = temp
      const runId = newId('run')
      const scope = { ...owner, runId, chatId }
      const model = { providerId: newId('provider'), modelId: 'm', label: 'written' }
      const rest = { projectId: project, mode: 'act', fixture: false, idempotencyKey: null, createdAt: clock.now() } as const
      store.runs.create(owner, { id: runId, chatId, model, ...rest })
      store.runs.begin(owner, runId, clock.now())
      const message = { messageId: newId('message'), role: 'user', text: prompt } as const
      keep(store, scope, store.ledger.write(scope, { kind: 'message', payload: message, source: 'user' }))
      const commands = new Map(commandsOf(steps))
      const context = {
        ports: {
          model: createScriptedModel(toAnswers(steps)),
          process: {
            run: async ({ argv }: { readonly argv: readonly string[] }) => {
              commands.get(argv.at(-1) ?? '')?.(at)
              return exited
            },
          },
          ledger: {
            append: async (draft: BeatDraft) => keep(store, scope, store.ledger.write(scope, draft)),
            appendTogether: async <T>(work: (write: WriteBeat) => T) =>
              work(((draft: BeatDraft) => keep(store, scope, store.ledger.write(scope, draft))) as WriteBeat),
          },
          blobs: { put: async (text: string) => ({ ref: 'blob', bytes: text.length }) },
          versions: keepVersions({ store, clock, ids }, { ...scope, projectId: project }),
          approvals: { ask: async () => ok('allowed' as const) },
          clock,
          ids,
        },
        grants: admitHarness(),
        tools: createToolRegistry(builtinTools),
        scope: { runId, chatId, mode: 'act' as const, project: { id: project, name: 'work', root } },
        reportFault,
      }
      const turn = runTurn(context, { modelId: 'm', prompt, history: [] }, new AbortController().signal)
      let next = await turn.next()
      while (!next.done) next = await turn.next()
      store.ledger.write(scope, { kind: 'run_ended', payload: { outcome: next.value }, source: 'server' })
      store.runs.end(owner, runId, { outcome: next.value, at: clock.now() })
      return runId
    },
    async plan(target) {
      const preview = await previewRewind(parts, owner, { chatId, target })
      if (!preview.ok) throw new Error(preview.refusal.message)
      return preview.value.files.map(({ plan, path }) => `${plan} ${path}`)
    },
    async rewind(target, mode = 'both', decided = []) {
      const preview = await previewRewind(parts, owner, { chatId, target })
      const seen = preview.ok ? preview.value.files.filter(({ path }) => decided.includes(path)) : []
      const decisions = seen.map(({ path, now }) => ({ path, seen: now }))
      return rewindChat(parts, owner, { chatId, target, mode, decided: decisions })
    },
    files: () => readTree(root),
    write,
    history: (of = chatId) => readHistory(temp.store, owner, of),
    fork(upTo) {
      const forked = forkChat(parts, owner, { chatId, upTo })
      if (!forked.ok) throw new Error(forked.refusal.message)
      return forked.value.id
    },
    async [Symbol.asyncDispose]() {
      await temp[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
  return room
}

export function readTree(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = names.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]))
}

function commandsOf(steps: readonly Step[]): [string, Extract<Step, { command: string }>['does']][] {
  return steps.flatMap((step) =>
    'command' in step ? [[step.command, step.does]] : 'steps' in step ? commandsOf(step.steps) : [],
  )
}

/** One answer a step, with a read before an edit, and a last one that says something. */
function toAnswers(steps: readonly Step[]): ScriptedAnswer[] {
  const answers = steps.flatMap((step): ScriptedAnswer | ScriptedAnswer[] => {
    if ('says' in step) return { text: step.says }
    if ('delegates' in step) {
      const call = { name: 'delegate', arguments: { task: step.delegates, paths: ['.'] } }
      return [{ calls: [call] }, ...toAnswers(step.steps)]
    }
    if ('command' in step) return { calls: [{ name: 'execute_command', arguments: { command: step.command } }] }
    const { edit: path, old, new: text } = step
    const read = old === undefined ? [] : [{ name: 'read_file', arguments: { path } }]
    return {
      calls: [...read, { name: 'edit', arguments: { edits: [{ path, ...(old === undefined ? {} : { old }), new: text }] } }],
    }
  })
  return steps.some((step) => 'says' in step) ? answers : [...answers, { text: 'Done so far.' }]
}

function keep(store: Store, scope: { userId: string; runId: string; chatId: string }, beat: Beat): Beat {
  if (beat.kind !== 'message' || beat.within !== undefined) return beat
  const { messageId: id, role, text } = beat.payload
  store.messages.add(scope, { id, chatId: scope.chatId, runId: scope.runId, role, text, createdAt: beat.at })
  return beat
}

function readHistory(store: Store, owner: Owner, chatId: string): string[] {
  const { items } = store.ledger.list(owner, { chatId, limit: 500 })
  return historyFromBeats(standingBeats(items)).map((message: ModelMessage) => `${message.role}: ${message.text.split('\n')[0]}`)
}

const exited: ProcessOutcome = {
  kind: 'exited',
  exitCode: 0,
  signal: null,
  output: '',
  stdout: '',
  bytes: 0,
  cut: null,
  ms: 1,
  receipt: { guardian: 'none', abi: 0, layers: [], notCovered: [], access: 'write', network: 'off', policy: '' },
}
