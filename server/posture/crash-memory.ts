/** Whether a crash of this process would write its memory to a file. */
import { readFileSync } from 'node:fs'

export interface CrashMemory {
  /** Of its memory in a core dump: nothing, some, or unknown where the system does not say. */
  readonly core: 'none' | 'some' | 'unknown'
  /** Whether Node would write a report, or one with the environment in it. */
  readonly reports: boolean
}

export function measureCrashMemory(): CrashMemory {
  const { report } = process
  const reports = report.reportOnFatalError || report.reportOnSignal || report.reportOnUncaughtException || !report.excludeEnv
  return { core: measureCore(), reports }
}

/** No dump at all, or one into which no kind of memory goes (core(5)). */
function measureCore(): CrashMemory['core'] {
  try {
    const limit = /^Max core file size\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    const filter = Number.parseInt(readFileSync('/proc/self/coredump_filter', 'utf8'), 16)
    return limit === '0' || filter === 0 ? 'none' : 'some'
  } catch {
    return 'unknown'
  }
}
