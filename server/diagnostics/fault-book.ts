/** The newest faults since the start, by name and place: what a helper needs to find the line, without a word that was said. */
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Diagnostics } from '@bridlewise/shared/wire'
import type { LoggedFault } from '../boundary/index.ts'

export type NotedFault = NonNullable<Diagnostics['sections']['faults']>[number]

export interface FaultBook {
  /** Contract: returns at once and never throws. */
  note(fault: LoggedFault): void
  /** Newest first. */
  list(): readonly NotedFault[]
}

/** Older ones are forgotten; the log has them. */
const mostFaults = 50

export const productRoot = fileURLToPath(new URL('../../', import.meta.url))

export function createFaultBook(now: () => number): FaultBook {
  const faults: NotedFault[] = []
  return {
    note({ id, causes }) {
      const told = causes.map(({ name, code, frames }) => ({
        name: plain(name) ?? 'Error',
        code: plain(code),
        place: placeIn(frames),
      }))
      faults.unshift({ id, at: now(), causes: told })
      faults.splice(mostFaults)
    },
    list: () => [...faults],
  }
}

/** Names and codes are identifiers; anything else could be somebody's words. */
function plain(word: string | null): string | null {
  return word !== null && /^[A-Za-z][A-Za-z0-9_]{0,59}$/.test(word) ? word : null
}

/** The innermost frame that lies in the product's own sources: `server/runs/execute.ts:137`. */
function placeIn(frames: readonly string[]): string | null {
  for (const frame of frames) {
    const at = frame.indexOf(productRoot)
    const place =
      at < 0
        ? null
        : /^((?:engine|server|shared|guardian)\/[\w./-]+:\d+):\d+/.exec(frame.slice(at + productRoot.length).replaceAll(sep, '/'))
    if (place && !place[1]?.includes('node_modules')) return place[1] ?? null
  }
  return null
}
