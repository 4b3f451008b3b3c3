/** `execute_command`: a shell command line, confined. */
import { z } from 'zod'
import type { ProcessOutcome } from '../../kernel/index.ts'
import { keepEnds } from '../bound.ts'
import { defineTool, type ToolResult } from '../definition.ts'
import { killedText, stopped, timedOut } from '../results.ts'
import { treeLimits } from '../tree-watch.ts'

export const defaultSeconds = 120
export const maxSeconds = 30 * 60
/** Bytes of output that are kept in memory; of these the record keeps the ends. */
export const outputLimit = 256 * 1024
const recordLimit = { bytes: 64 * 1024, lines: 2_000 }

export const executeCommandTool = defineTool({
  name: 'execute_command',
  description: 'Run a shell command (/bin/sh) in the project root, in the sandbox, without network or terminal.',
  category: 'command',
  capability: 'execute',
  policy: 'allow',
  inPlanMode: 'reads-only',
  renders: 'terminal',
  input: z.strictObject({
    command: z.string().min(1).max(100_000),
    timeoutSeconds: z.int().min(1).max(maxSeconds).describe(`${defaultSeconds} unless said`).optional(),
  }),
  headline: ({ command }) => ({ verb: 'Run', object: command }),
  deadlineMs: ({ timeoutSeconds = defaultSeconds }) => timeoutSeconds * 1000 + 2 * treeLimits.ms,
  run: async ({ mode, workspace, launch, tree }, { command, timeoutSeconds = defaultSeconds }, signal) => {
    const deadlineMs = timeoutSeconds * 1000
    const watch = mode === 'plan' ? null : await tree.begin(signal, workspace.writable)
    const outcome = await launch(
      { argv: ['/bin/sh', '-c', command], access: 'write', deadlineMs, outputLimit, live: 'shown' },
      signal,
    )
    if (outcome.kind === 'not_started') {
      const refusal = outcome.refusal
      return { ...stopped('not_started', refusal), text: `Not started. ${refusal.message}` }
    }
    const changes = await watch?.end()
    return {
      ...describeEnd(outcome, deadlineMs),
      details: {
        kind: 'terminal',
        command,
        cwd: workspace.root,
        output: keepEnds(outcome.output, recordLimit).text,
        bytes: outcome.bytes,
        cut: outcome.cut,
        exitCode: outcome.kind === 'exited' ? outcome.exitCode : null,
        signal: outcome.kind === 'exited' ? outcome.signal : null,
        receipt: outcome.receipt,
      },
      // With read access it has changed nothing.
      effects: changes ? [{ effect: 'process', target: command, watched: changes.watched }, ...changes.files] : [],
      readOn: 'To see the rest, run it again through grep, head or tail.',
    }
  },
})

type Started = Exclude<ProcessOutcome, { kind: 'not_started' }>

function describeEnd(outcome: Started, deadlineMs: number): Pick<ToolResult, 'status' | 'summary' | 'text' | 'refusal'> {
  const output = `${outcome.output.trimEnd() || '(no output)'}${outcome.cut === null ? '' : `\n[${outcome.cut}]`}`
  switch (outcome.kind) {
    case 'exited': {
      const end = outcome.signal === null ? `exit ${outcome.exitCode ?? 'unknown'}` : `ended by ${outcome.signal}`
      return { status: 'done', summary: end, text: `${end}\n${output}`, refusal: null }
    }
    case 'timed_out': {
      const { summary, text, refusal } = timedOut('The command', deadlineMs)
      return { status: 'timed_out', summary, text: `${text}\n${output}`, refusal }
    }
    case 'cancelled':
      return { status: 'killed', summary: 'killed', text: `${killedText}\n${output}`, refusal: null }
  }
}
