/** Lines go to one stream, and a storm of them does not: each level has a number a minute, and what is over is counted. */
import type { Writable } from 'node:stream'

export interface LogParts {
  readonly stream: Pick<Writable, 'write'>
  /** Milliseconds that only go forward. */
  readonly elapsed: () => number
  /** Of one level. */
  readonly linesPerMinute: number
}

export interface BoundedLog {
  /** One line of JSON that begins with its level, as the logger writes it. */
  write(line: string): void
  /** Say what was left out so far. */
  flush(): void
}

const minuteMs = 60_000

/**
 * Contract: no level uses up the lines of another, so that refused requests never hide a fault. What
 * was left out is told by one line when its minute is over, or at the end.
 */
export function createBoundedLog({ stream, elapsed, linesPerMinute }: LogParts): BoundedLog {
  const written = new Map<string, number>()
  const dropped = new Map<string, number>()
  let since = elapsed()
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    since = elapsed()
    written.clear()
    for (const [level, lines] of dropped) {
      stream.write(
        `{"level":${level},"lines":${lines},"msg":"lines of this level were left out, there were too many in a minute"}\n`,
      )
    }
    dropped.clear()
  }

  return {
    write(line) {
      if (elapsed() - since >= minuteMs) flush()
      const level = /^\{"level":(\d+)/.exec(line)?.[1] ?? '0'
      const count = (written.get(level) ?? 0) + 1
      written.set(level, count)
      if (count <= linesPerMinute) return void stream.write(line)
      dropped.set(level, (dropped.get(level) ?? 0) + 1)
      timer ??= setTimeout(flush, minuteMs).unref()
    },
    flush,
  }
}
