/** One confined command from start to end: deadline, cancel, output, and the guardian's word on how it went. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import type { ProcessOutcome, ProcessSpec } from '@bridlewise/engine'
import { buildArguments, createReportReader, type Policy, type ReportReader } from '@bridlewise/guardian'
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { Receipt } from '@bridlewise/shared/wire'
import { createRecorder, type Recorder } from './output.ts'

export interface Command {
  readonly binary: string
  readonly policy: Policy
  readonly environment: Readonly<Record<string, string>>
  readonly spec: ProcessSpec
  /** The receipt, from what the guardian reported. */
  readonly receipt: (reader: ReportReader) => Receipt
}

const reportFd = 3
/** After the grace the guardian ends the tree itself; when it has not by then, it is stuck and is ended. */
const patienceMs = 2_000
/** From the guardian's end to the end of its streams; longer means that a stream is held by something else. */
const drainMs = 500

type Ending = 'by itself' | 'cancelled' | 'timed_out'

/**
 * Contract: settles when the guardian has ended, and it ends last of all it started. Never rejects.
 * A command that ended before the cancel arrived counts as ended.
 */
export function runCommand(command: Command, signal: AbortSignal): Promise<ProcessOutcome> {
  const { spec, policy } = command
  const recorder = createRecorder(spec.outputLimit, spec.onOutput ?? (() => {}))
  const reader = createReportReader()
  const started = performance.now()
  if (signal.aborted) return Promise.resolve({ kind: 'cancelled', ...recorder.finish(), ms: 0, receipt: command.receipt(reader) })
  return new Promise((resolve) => {
    let ending: Ending = 'by itself'
    let child: ChildProcess
    try {
      const args = buildArguments(policy, reportFd, spec.argv)
      child = spawn(command.binary, args, { cwd: '/', env: command.environment, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
    } catch (error) {
      return resolve({ kind: 'not_started', refusal: explainSpawn(error as NodeJS.ErrnoException) })
    }

    let escalation: NodeJS.Timeout | undefined
    const stop = (why: Ending) => {
      if (ending !== 'by itself') return
      ending = why
      child.kill('SIGTERM')
      escalation = setTimeout(() => child.kill('SIGKILL'), policy.graceMs + patienceMs)
    }
    const cancel = () => stop('cancelled')
    const deadline = setTimeout(() => stop('timed_out'), spec.deadlineMs)
    signal.addEventListener('abort', cancel, { once: true })

    const settle = (outcome: () => ProcessOutcome) => {
      clearTimeout(deadline)
      clearTimeout(escalation)
      signal.removeEventListener('abort', cancel)
      resolve(outcome())
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      settle(() => ({ kind: 'not_started', refusal: explainSpawn(error) }))
    })
    child.once('exit', () => {
      const timer = setTimeout(() => destroyStreams(child), drainMs)
      child.once('close', () => {
        clearTimeout(timer)
        settle(() => conclude(command, { ending, reader, recorder, ms: performance.now() - started }))
      })
    })
    child.stdout?.on('data', (chunk: Buffer) => recorder.push('stdout', chunk))
    child.stderr?.on('data', (chunk: Buffer) => recorder.push('stderr', chunk))
    const report = child.stdio[reportFd] as Readable | null
    report?.on('data', (chunk: Buffer) => reader.push(chunk))
    report?.on('error', () => report.destroy())
  })
}

function conclude(
  { spec, receipt }: Command,
  end: { ending: Ending; reader: ReportReader; recorder: Recorder; ms: number },
): ProcessOutcome {
  const refusal = explainReport(end.reader, spec.argv[0] ?? '')
  const recording = { ...end.recorder.finish(), ms: Math.round(end.ms), receipt: receipt(end.reader) }
  // Stopped before anything held: nothing was started, but it was stopped all the same.
  if (refusal !== null && end.ending === 'by itself') return { kind: 'not_started', refusal }
  const ended = end.reader.find('ended')
  if (end.ending !== 'by itself' && (end.reader.find('stopped') !== null || ended === null))
    return { kind: end.ending, ...recording }
  // No word of an ending: the guardian itself was killed, and the payload with it.
  if (ended === null) return { kind: 'exited', ...recording, exitCode: null, signal: 'SIGKILL' }
  return { kind: 'exited', ...recording, exitCode: ended.exit, signal: signalName(ended.signal) }
}

/** Null when the payload was started. */
function explainReport(reader: ReportReader, program: string): Refusal | null {
  const refused = reader.find('refused')
  if (refused !== null) return makeRefusal('confinement_failed', { problem: refused.reason, step: refused.step })
  const failed = reader.find('not_executed')
  if (failed?.errno === constants.errno.ENOENT) return makeRefusal('command_not_found', { program })
  if (failed !== null) return makeRefusal('command_invalid', { problem: failed.reason })
  if (reader.find('confined') !== null) return null
  return makeRefusal('guardian_unusable', { problem: 'it ended without saying that anything holds' })
}

function explainSpawn(error: NodeJS.ErrnoException): Refusal {
  if (error.code === 'E2BIG') return makeRefusal('command_invalid', { problem: 'it is longer than the system allows' })
  if (error.code === 'ERR_INVALID_ARG_VALUE') return makeRefusal('command_invalid', { problem: 'it holds a zero byte' })
  return makeRefusal('guardian_unusable', { problem: `it cannot be started (${error.code ?? error.message})` })
}

function signalName(number: number | null): string | null {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null
}

function destroyStreams(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy()
}
