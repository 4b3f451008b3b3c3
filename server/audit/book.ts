/**
 * The record of security events: gathered in memory, written once a second.
 *
 * Whoever notes an event waits for nothing. The same event of one minute is one row with a count, and
 * a kind has a bounded number of rows a minute, so that a flood costs neither memory nor disk.
 */
import type { SecurityEventRow, SecurityEvents } from '../storage/index.ts'

export interface SecurityEvent {
  readonly kind: string
  readonly userId: string | null
  /** Of the socket; what headers claim plays no part. */
  readonly address: string
  readonly method: string
  /** One line, without its query. */
  readonly path: string
}

export interface AuditBook {
  /** Of an event that happens now, or happened at that time. Contract: returns at once and never throws. */
  note(event: SecurityEvent, at?: number): void
  /** Resolves when everything noted so far is written, or was reported as lost. */
  flush(): Promise<void>
}

export interface AuditParts {
  readonly events: Pick<SecurityEvents, 'nextNumber' | 'write'>
  readonly now: () => number
  /** Told when rows could not be written; they are gone then, since holding them would grow without end. */
  readonly report: (cause: unknown) => void
}

const dayMs = 24 * 60 * 60 * 1000

/** What is gathered, and what is kept. */
export const auditLimits = {
  gatherMs: 1_000,
  minuteMs: 60_000,
  /** Rows of one kind in a minute; what comes from still other places is counted together in one more. */
  placesPerKind: 32,
  /** Rows of one kind that are kept, and for how long. */
  rowsPerKind: 2_000,
  keepMs: 90 * dayMs,
} as const

const elsewhere = { userId: null, address: '', method: '', path: '(other places)' } as const

interface Entry extends SecurityEvent {
  readonly number: number
  readonly minute: number
  readonly firstAt: number
  lastAt: number
  count: number
}

export function createAuditBook({ events, now, report }: AuditParts): AuditBook {
  const entries = new Map<string, Entry>()
  const places = new Map<string, number>()
  const unwritten = new Set<Entry>()
  let minute = 0
  let timer: NodeJS.Timeout | null = null

  function find(event: SecurityEvent, at: number): Entry {
    const key = JSON.stringify([event.kind, event.userId, event.address, event.method, event.path])
    const known = entries.get(key)
    if (known) return known
    const taken = places.get(event.kind) ?? 0
    if (taken === auditLimits.placesPerKind && event.path !== elsewhere.path) return find({ kind: event.kind, ...elsewhere }, at)
    places.set(event.kind, Math.min(taken + 1, auditLimits.placesPerKind))
    const entry = { ...event, number: events.nextNumber(), minute, firstAt: at, lastAt: at, count: 0 }
    entries.set(key, entry)
    return entry
  }

  async function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const rows = [...unwritten].map(toRow)
    unwritten.clear()
    if (rows.length === 0) return
    const bounds = { keep: auditLimits.rowsPerKind, since: now() - auditLimits.keepMs }
    await events.write(rows, bounds).catch(report)
  }

  return {
    note(event, at = now()) {
      const current = at - (at % auditLimits.minuteMs)
      if (current !== minute) {
        minute = current
        entries.clear()
        places.clear()
      }
      const entry = find(event, at)
      entry.count += 1
      entry.lastAt = at
      unwritten.add(entry)
      timer ??= setTimeout(() => void flush(), auditLimits.gatherMs).unref()
    },
    flush,
  }
}

function toRow({ number, kind, minute, userId, ...rest }: Entry): SecurityEventRow {
  const { address, method, path, count, firstAt, lastAt } = rest
  return { number, kind, minute, userId, detail: { address, method, path, count, firstAt, lastAt } }
}
