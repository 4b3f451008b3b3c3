/** What was not looked at, in words: ignored, hidden and binary files are skipped, not absent. */
import type { Skipped } from '@bridlewise/shared/wire'

export function describeSkips(skipped: readonly Skipped[]): string {
  if (skipped.length === 0) return ''
  return `\n[skipped: ${skipped.map(({ reason, count }) => `${count} ${words[reason]}`).join(', ')}]`
}

const words = {
  ignored: 'ignored',
  hidden: 'hidden',
  binary: 'binary',
  oversized: 'too large',
  link: 'symbolic links',
  unreadable: 'unreadable',
  limit: 'over the limit',
  withheld: 'kept back by a rule',
} as const satisfies Record<Skipped['reason'], string>

/** One more reason beside what the walk counted. */
export function addSkips(skipped: readonly Skipped[], reason: Skipped['reason'], count: number): Skipped[] {
  if (count === 0) return [...skipped]
  const before = skipped.find((entry) => entry.reason === reason)?.count ?? 0
  return [...skipped.filter((entry) => entry.reason !== reason), { reason, count: before + count }]
}
