/** How numbers, sizes, durations and times read: rounded for the eye; the exact value is for hovering. */

const grouped = new Intl.NumberFormat('en-GB')
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const dayLong = 24 * hour

/** `214`, `8.1k`, `2.4M`. */
export function formatCount(value: number): string {
  if (Math.abs(value) < 1000) return grouped.format(value)
  return scale(value, ['', 'k', 'M', 'G', 'T'], '')
}

/** `8,123`: every digit. */
export function formatExact(value: number): string {
  return grouped.format(value)
}

/** `1 file`, `3 files`. A noun with an irregular plural gives it as `many`. */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${formatExact(value)} ${value === 1 ? one : many}`
}

/** `312 B`, `12.4 kB`, `3.1 MB`: powers of 1000. */
export function formatBytes(bytes: number): string {
  if (Math.abs(bytes) < 1000) return `${grouped.format(bytes)} B`
  return scale(bytes, ['B', 'kB', 'MB', 'GB', 'TB'], ' ')
}

/** Billionths of a US dollar as `$0.004` or `$1.25`: cents where these say it, and digits below a cent where they do not. */
export function formatMoney(nanos: number): string {
  const dollars = nanos / 1_000_000_000
  if (dollars === 0) return '$0'
  if (dollars < 0.000_01) return '<$0.00001'
  if (dollars < 0.01) return `$${dollars.toPrecision(2)}`
  return `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`
}

/** Milliseconds as `4 ms`, `2.1 s`, `3 min 12 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return '<1 ms'
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / second).toFixed(1)} s`
  const seconds = Math.round(ms / second)
  if (seconds < 3600) return join(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.round(ms / minute)
  return join(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

/** Whole seconds of something still going on: `4 s`, `1:05`, `1:02:09`. It never goes below zero. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / second))
  if (seconds < 60) return `${seconds} s`
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** `14:02`, in the reader's zone. */
export function formatClock(at: number): string {
  return clock.format(at)
}

/** `2026-03-04 14:02:07`, in the reader's zone: the exact time behind a relative one. */
export function formatMoment(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const days = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${days} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** `just now`, `5 min ago`, `3 h ago`, `yesterday`, `4 d ago`, then the date. A time ahead reads as its moment. */
export function formatRelative(at: number, now: number): string {
  const age = now - at
  if (age < -minute) return formatMoment(at)
  if (age < minute) return 'just now'
  if (age < hour) return `${Math.floor(age / minute)} min ago`
  const days = Math.round((startOfDay(now) - startOfDay(at)) / dayLong)
  if (days === 0 || age < 6 * hour) return `${Math.floor(age / hour)} h ago`
  if (days === 1) return 'yesterday'
  if (days < 7) return `${days} d ago`
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? day.format(at) : dayAndYear.format(at)
}

function scale(value: number, units: readonly string[], gap: string): string {
  let rest = value
  let step = 0
  // 999.5 would print as 1000, so it moves up one unit.
  while (Math.abs(rest) >= 999.5 && step < units.length - 1) {
    rest /= 1000
    step += 1
  }
  const digits = Math.abs(rest) >= 99.95 ? 0 : 1
  return `${rest.toFixed(digits)}${gap}${units[step]}`
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}
