/** What the watch noticed since the start. */
import type { PostureLine } from '@bridlewise/shared'
import type { StoreFacts } from '../storage/index.ts'
import { type Readings, watchLimits } from '../watch/index.ts'
import { line } from './line.ts'

export function pauseLine({ pauses, longest }: Readings): PostureLine {
  const before = pauses === 0 ? 'none since the start' : `${pauses} since the start`
  return line('boundary', 'answers', {
    title: 'The server answers without standing still',
    state: longest === null ? 'enforced' : 'partly',
    evidence:
      longest === null
        ? `In the last hour no pause reached ${watchLimits.pauseMs} ms (${before}).`
        : `The longest pause of the last hour was ${longest.ms} ms, until ${new Date(longest.at).toISOString()}; this process computed for ${longest.busyMs} ms of it (${before}).`,
    remedy: 'Look at what ran then. If little of it was computed, the disk or another program kept the server waiting.',
  })
}

export function logLine({ logBytes }: Pick<StoreFacts, 'logBytes'>): PostureLine {
  const bound = watchLimits.logBytes
  return line('storage', 'log', {
    title: 'The log of the database stays small',
    state: logBytes <= bound ? 'enforced' : 'partly',
    evidence: `It has ${logBytes} bytes; above ${bound} something reads the database and does not stop.`,
    remedy: 'End other programs that have bridlewise.db open. The log shrinks with the next writes.',
  })
}
