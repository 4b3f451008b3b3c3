/** What the process of a server never does, whatever the environment asks of Node: show its memory, or write it to a file. */
import { writeFileSync } from 'node:fs'

/**
 * Contract: the first thing in the process, since it takes every reaction to a signal away. Core dumps
 * keep their headers and lose every page, for this process and for what it starts; a limit on their
 * size would need the system's help.
 */
export function keepMemoryIn(): void {
  // Node's options can bind a snapshot of the heap or a report to any signal.
  for (const name of process.eventNames()) if (String(name).startsWith('SIG')) process.removeAllListeners(name)
  // Without a listener this signal opens the inspector, a way into the process past every check.
  process.on('SIGUSR1', () => undefined)
  Object.assign(process.report, {
    reportOnFatalError: false,
    reportOnSignal: false,
    reportOnUncaughtException: false,
    excludeEnv: true,
    excludeNetwork: true,
  })
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // Not Linux, or a kernel without it: the posture says what holds.
  }
}
