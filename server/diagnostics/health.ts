/** How the process does right now. Nothing is watched before somebody asks: an idle server is woken by nothing. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Diagnostics } from '@bridlewise/shared/wire'

/** How long the event loop is watched, in milliseconds. */
const watchedMs = 250

export async function measureHealth(): Promise<NonNullable<Diagnostics['sections']['health']>> {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  await wait(watchedMs)
  delay.disable()
  const { rss, heapUsed } = process.memoryUsage()
  return {
    uptimeMs: Math.round(process.uptime() * 1000),
    rssBytes: rss,
    heapUsedBytes: heapUsed,
    loopDelayMs: { watchedMs, mean: inMs(delay.mean), max: inMs(delay.max) },
    loopUse: round(performance.eventLoopUtilization().utilization),
  }
}

/** From nanoseconds; a watch that saw nothing has no mean. */
function inMs(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? round(nanoseconds / 1e6) : 0
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
