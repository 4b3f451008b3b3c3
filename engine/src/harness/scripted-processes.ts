/** Processes that play back what they would have done. The engine has no confinement, so the harness starts none. */
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { Receipt } from '@bridlewise/shared/wire'
import type { ProcessOutcome, ProcessPort, ProcessSpec } from '../kernel/index.ts'

interface ScriptedProcess {
  readonly output?: string
  /** Its exit code, or that it goes on until it is told to stop. */
  readonly ends: number | 'when stopped'
}

/** Outcomes by command line: the last argument, which for a shell is the line itself. */
export type ProcessTable = Readonly<Record<string, ScriptedProcess>>

/** Contract: starts nothing. A command the table does not hold is refused as not found. */
export function createScriptedProcesses(table: ProcessTable): ProcessPort {
  return {
    run: async (spec, signal) => {
      const command = spec.argv.at(-1) ?? ''
      const process = Object.hasOwn(table, command) ? table[command] : undefined
      if (!process) return { kind: 'not_started', refusal: makeRefusal('command_not_found', { program: command }) }
      return play(process, spec, signal)
    },
  }
}

async function play({ output = '', ends }: ScriptedProcess, spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome> {
  if (output !== '') spec.onOutput?.('stdout', output)
  const printed = { output, stdout: output, bytes: Buffer.byteLength(output), cut: null, ms: 0, receipt: describePlay(spec) }
  if (ends !== 'when stopped') return { kind: 'exited', exitCode: ends, signal: null, ...printed }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  return { kind: 'cancelled', ...printed }
}

/** No layer held, since nothing ran. */
function describePlay({ access }: ProcessSpec): Receipt {
  return { guardian: 'scripted', abi: 0, layers: [], notCovered: ['nothing was started'], access, network: 'off', policy: '' }
}
