/** What a run took, counted from its beats: for endings that no turn reports. */
import type { Beat, Outcome } from '@bridlewise/shared/wire'

export type RunTally = Pick<Outcome, 'steps' | 'calls' | 'filesChanged' | 'usage' | 'ms'>

export function tallyOf(beats: readonly Beat[]): RunTally {
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  const files = new Set<string>()
  // A step whose first request failed has several.
  const steps = new Set<number>()
  let calls = 0
  for (const beat of beats) {
    if (beat.kind === 'request') steps.add(beat.payload.step)
    if (beat.kind === 'call' || beat.kind === 'blocked') calls += 1
    if (beat.kind === 'effect' && beat.payload.effect === 'file') files.add(beat.payload.target)
    if (beat.kind === 'response' && beat.payload.usage) {
      usage.inputTokens += beat.payload.usage.inputTokens
      usage.outputTokens += beat.payload.usage.outputTokens
      usage.cachedTokens += beat.payload.usage.cachedTokens
    }
  }
  const ms = Math.max(0, (beats.at(-1)?.at ?? 0) - (beats[0]?.at ?? 0))
  return { steps: steps.size, calls, filesChanged: [...files], usage, ms }
}
