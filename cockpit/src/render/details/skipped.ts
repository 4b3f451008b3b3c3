/** What a search or a listing did not look at, in words. It is said, so that skipped never reads as absent. */
import type { Skipped } from '@bridlewise/shared/wire'
import { countOf } from '../../parts/index.ts'

const reasons: Readonly<Record<Skipped['reason'], string>> = {
  ignored: 'ignored by the project',
  hidden: 'hidden',
  binary: 'not text',
  oversized: 'too large',
  link: 'a symbolic link',
  unreadable: 'not readable',
  limit: 'beyond the limit',
  withheld: 'never sent, by a rule of yours',
}

/** One sentence, or none when nothing was skipped. */
export function describeSkipped(skipped: readonly Skipped[]): string[] {
  const parts = skipped
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => `${countOf(count, 'entry', 'entries')} ${reasons[reason]}`)
  return parts.length === 0 ? [] : [`Not looked at: ${parts.join(', ')}.`]
}
