/** A run as a client sees it, in milliseconds; and what a process has cost. */
import { readdirSync, readFileSync } from 'node:fs'
import { need, type ScriptClient } from '../support/script-client.ts'

export interface Watched {
  readonly startedAt: number
  /** Milliseconds after the start. */
  readonly firstFrame: number
  readonly firstText: number
  readonly ended: number
}

/** Start a run and read its stream to the end. Throws when it did not complete. */
export async function watch(
  client: ScriptClient,
  task: { readonly prompt: string; readonly projectId?: string },
): Promise<Watched> {
  const startedAt = performance.now()
  const since = () => performance.now() - startedAt
  const { run } = need(await client.run.start(task))
  let firstFrame = 0
  let firstText = 0
  for await (const frame of client.run.stream({ runId: run.id })) {
    firstFrame ||= since()
    if (frame.kind === 'text') firstText ||= since()
    if (frame.kind === 'ended' && frame.run.status !== 'completed') throw new Error(JSON.stringify(frame.run.outcome))
  }
  return { startedAt, firstFrame, firstText, ended: since() }
}

/** User and system time of a process and the children it has waited for, in milliseconds at 100 ticks a second. */
export function cpuMilliseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}

/** The most that it held at once since it was started. */
export function mostResidentMegabytes(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) / 1024
}

/** Time on a processor of all threads of a process, in milliseconds, to the nanosecond. */
export function busyMilliseconds(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]))
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
}
