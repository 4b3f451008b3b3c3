/** Spans: the stretches of a text that are secret, and how overlapping ones become one. */

/** What found it. Of overlapping spans the highest rank names the kind. */
export type Rank = 'guessed' | 'shaped' | 'stored' | 'withheld'

export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly rank: Rank
}

const order: readonly Rank[] = ['guessed', 'shaped', 'stored', 'withheld']

/** Sort spans and join those that overlap, so that no part of any of them is left. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else merged[merged.length - 1] = join(last, span)
  }
  return merged
}

function join(a: Span, b: Span): Span {
  const { kind, rank } = order.indexOf(b.rank) > order.indexOf(a.rank) ? b : a
  return { start: a.start, end: Math.max(a.end, b.end), kind, rank }
}
