/** A process that edits several files at once, on a disk that may kill it on the way. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Homes } from '../../server/storage/index.ts'
import { compileCache } from './crash-writer.ts'

const file = (path: string) => JSON.stringify(join(import.meta.dirname, '../..', path))

const editor = `
  import { admitHarness, openWorkspace } from ${file('engine/src/index.ts')}
  import { applyEdits, createReadLog, createVersionLog } from ${file('engine/src/editor/index.ts')}
  import { openStore } from ${file('server/storage/index.ts')}
  import { keepVersions } from ${file('server/runs/versions.ts')}
  import { newId } from ${file('tests/support/store.ts')}
  const { homes, scope, root, edits } = JSON.parse(process.argv[1])
  const [opened, workspace] = [await openStore(homes), await openWorkspace(root)]
  if (!opened.ok || !workspace.ok) throw new Error('it does not open')
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const versions = createVersionLog(keepVersions({ store: opened.value, clock, ids: { next: newId } }, scope))
  const readLog = createReadLog()
  for (const { kind, path } of edits) {
    if (kind !== 'replace') continue
    const read = await workspace.value.read(path)
    readLog.record(path, read.value.digest)
  }
  const applied = await applyEdits({ workspace: workspace.value, readLog, versions, grants: admitHarness() }, edits)
  if (!applied.ok) throw new Error(applied.refusal.message)
  opened.value.close()`

export interface EditingJob {
  readonly homes: Homes
  readonly scope: { readonly userId: string; readonly chatId: string; readonly runId: string; readonly projectId: string }
  readonly root: string
  readonly edits: readonly unknown[]
}

/** Gives how it ended: `done`, or `killed`. Throws when it broke. */
export async function editOnDisk(job: EditingJob, environment: Readonly<Record<string, string>>): Promise<'done' | 'killed'> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', editor, JSON.stringify(job)], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...environment },
  })
  const [code, signal] = await once(child, 'exit')
  if (signal === 'SIGKILL') return 'killed'
  if (code !== 0) throw new Error(`it ended with ${code ?? signal}`)
  return 'done'
}
