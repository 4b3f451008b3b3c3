/**
 * `demo`: the recorded turn on the sample project, without a browser and without a key.
 *
 * The model's words are recorded and every run says so. Server, claim, sandbox, edit and ledger are the
 * real ones, on homes that are made for it and removed afterwards.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { Run } from '@bridlewise/shared/wire'
import { type RunningServer, readConfig, startServer } from '../index.ts'
import { type Caller, setUp } from './caller.ts'
import { DemoReport } from './demo-report.ts'
import { printRefusal } from './print.ts'

/** Exit code 0 when the run completed and the ledger verifies, 3 when it does not verify, 1 otherwise. */
export async function demo(environment: NodeJS.ProcessEnv): Promise<number> {
  const base = await mkdtemp(join(tmpdir(), 'bridlewise-demo-'))
  try {
    const config = readConfig({
      HOME: environment['HOME'],
      HARNESS_WEB_DATA: join(base, 'data'),
      HARNESS_WEB_KEYS: join(base, 'keys'),
      HARNESS_WEB_PORT: '0',
      HARNESS_WEB_LLM_FIXTURES: '1',
    })
    if (!config.ok) return printRefusal(config.refusal)
    const started = await startServer(config.value)
    if (!started.ok) return printRefusal(started.refusal)
    await using server = started.value
    const code = await play(server)
    return code.ok ? code.value : printRefusal(code.refusal)
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}

async function play(server: RunningServer): Promise<Result<number>> {
  const report = new DemoReport((line) => process.stdout.write(`${line}\n`))
  const person = { code: server.setupCode() ?? '', username: 'demo', password: randomBytes(24).toString('base64url') }
  const caller = await setUp(server.url, person)
  if (!caller.ok) return caller
  const client = caller.value
  const provider = await client.provider.create({ name: 'Recorded demo', kind: 'demo', models: ['demo'] })
  if (!provider.ok) return provider
  const sample = await client.project.createDemo({})
  if (!sample.ok) return sample
  const { project, suggestedPrompt } = sample.value
  report.opening(project.path, suggestedPrompt)

  const started = await client.run.start({ prompt: suggestedPrompt, projectId: project.id })
  if (!started.ok) return started
  const ended = await follow(client, started.value.run, report)
  if (!ended.ok) return ended
  report.outcome(ended.value)

  const verified = await client.timeline.verify({})
  if (!verified.ok) return verified
  report.ledger(verified.value)
  if (!verified.value.valid) return ok(3)
  return ok(ended.value.status === 'completed' ? 0 : 1)
}

/** Watch until the terminal frame. */
async function follow(client: Caller, run: Run, report: DemoReport): Promise<Result<Run>> {
  const frames = client.run.stream({ runId: run.id })
  for (;;) {
    const next = await frames.next()
    if (next.done) return 'refusal' in next.value ? { ok: false, refusal: next.value.refusal } : ok(run)
    report.frame(next.value)
    if (next.value.kind === 'ended') return ok(next.value.run)
  }
}
