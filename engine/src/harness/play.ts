/** Plays one scenario through the turn that every run goes through, on a project of its own. */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { refuse } from '@bridlewise/shared/refusals'
import { type ModelRequest, makeId, type Outcome } from '@bridlewise/shared/wire'
import { createScriptedModel, runTurn, type TurnContext, type TurnEvent } from '../agents/index.ts'
import { admitHarness, type Clock, type Ids, nothingKept } from '../kernel/index.ts'
import { builtinTools, createToolRegistry } from '../tools/index.ts'
import { createMemoryLedger, type MemoryLedger } from './memory-ledger.ts'
import type { Scenario } from './scenario.ts'
import { createScriptedProcesses } from './scripted-processes.ts'

/** What came of a scenario, for its expectations to be held against. */
export interface Played {
  readonly outcome: Outcome
  readonly ledger: MemoryLedger
  readonly requests: readonly ModelRequest[]
  /** What the expected files hold; null for one that is not there. */
  readonly files: Readonly<Record<string, string | null>>
  readonly faults: readonly unknown[]
}

export async function playScenario(scenario: Scenario): Promise<Played> {
  const root = await mkdtemp(join(tmpdir(), 'bridlewise-harness-'))
  try {
    for (const [path, text] of Object.entries(scenario.files ?? {})) await plant(join(root, path), text)
    return await play(scenario, root)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function play(scenario: Scenario, root: string): Promise<Played> {
  const model = createScriptedModel(scenario.answers)
  const [runId, chatId] = [ids.next('run'), ids.next('chat')]
  const ledger = createMemoryLedger({ runId, chatId, clock, ids })
  const faults: unknown[] = []
  const context: TurnContext = {
    ports: {
      model,
      ledger,
      clock,
      ids,
      process: createScriptedProcesses(scenario.processes ?? {}),
      versions: nothingKept,
      blobs: { put: async (text) => ({ ref: ids.next('blob'), bytes: Buffer.byteLength(text) }) },
      approvals: { ask: async ({ effect }) => refuse('approval_denied', { effect, reason: 'nobody is there to ask' }) },
    },
    grants: admitHarness(),
    tools: createToolRegistry(builtinTools),
    scope: { runId, chatId, mode: scenario.mode ?? 'act', project: { id: ids.next('project'), name: 'sample', root } },
    reportFault: (fault) => `fault-${faults.push(fault)}`,
  }
  const stop = new AbortController()
  const turn = runTurn(context, { modelId: 'scripted', prompt: scenario.shows, history: [] }, stop.signal)
  let next = await turn.next()
  for (; !next.done; next = await turn.next()) if (kindOf(next.value) === scenario.stopAt) stop.abort()
  const files = await readFiles(root, Object.keys(scenario.expected.files ?? {}))
  return { outcome: next.value, ledger, requests: model.requests, files, faults }
}

const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
const ids: Ids = { next: (noun) => makeId(noun, Date.now(), randomBytes(16)) }

function kindOf(event: TurnEvent): string {
  return event.type === 'beat' ? event.beat.kind : event.type
}

async function plant(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

async function readFiles(root: string, paths: readonly string[]): Promise<Record<string, string | null>> {
  const files: Record<string, string | null> = {}
  for (const path of paths) files[path] = await readFile(join(root, path), 'utf8').catch(() => null)
  return files
}
