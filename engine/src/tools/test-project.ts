/** For the tests of this room: a temporary project, and a tool run on it through gate and executor. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createReadLog, createVersionLog } from '../editor/index.ts'
import { admitHarness, nothingKept, type ProcessPort, type VersionsPort } from '../kernel/index.ts'
import { openWorkspace } from '../workspace/index.ts'
import { builtinTools } from './builtin/index.ts'
import { isDelegating, type ToolContext } from './definition.ts'
import { type ExecutedCall, type ExecutorContext, executeCall } from './executor.ts'
import { judgeCall } from './gate.ts'
import { createLoopWatch } from './loop.ts'
import { createToolRegistry } from './registry.ts'
import { createTreeWatch } from './tree-watch.ts'

export interface TestProject extends AsyncDisposable {
  readonly root: string
  /** Run a built-in tool; throws when the gate stops the call, which is another test's business. */
  call(tool: string, input: unknown): Promise<ExecutedCall>
}

export interface TestProjectFacts {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly process?: ProcessPort
  readonly mode?: ToolContext['mode']
  readonly versions?: VersionsPort
}

export async function createTestProject({
  files = {},
  process = noProcess,
  mode = 'act',
  versions: port = nothingKept,
}: TestProjectFacts = {}): Promise<TestProject> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tools-')))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const workspace = await openWorkspace(root)
  if (!workspace.ok) throw new Error(workspace.refusal.message)
  const readLog = createReadLog()
  const versions = createVersionLog(port)
  const clock = { now: () => Date.now(), elapsed: () => performance.now() }
  const context: ExecutorContext = {
    ports: {
      process,
      blobs: { put: async (text) => ({ ref: 'blob', bytes: Buffer.byteLength(text) }) },
      approvals: { ask: async () => ({ ok: true, value: 'allowed' }) },
    },
    grants: admitHarness(),
    mode,
    workspace: workspace.value,
    readLog,
    versions,
    tree: createTreeWatch({ workspace: workspace.value, readLog, versions, clock }),
    reportFault: (fault) => {
      throw fault
    },
  }
  return {
    root,
    call: async (name, input) => {
      const gate = { tools: createToolRegistry(builtinTools), loop: createLoopWatch(), mode, hasProject: true }
      const call = { id: 'call', name, arguments: JSON.stringify(input) }
      const verdict = judgeCall(gate, { call, finish: 'calls', last: true })
      if (verdict.kind === 'blocked') throw new Error(verdict.refusal.message)
      const { tool } = verdict
      if (isDelegating(tool)) throw new Error('a task is no call of a tool alone')
      return executeCall(context, { ...verdict, tool, onOutput: () => {} }, new AbortController().signal)
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

const noProcess: ProcessPort = { run: async () => Promise.reject(new Error('this test starts no process')) }
