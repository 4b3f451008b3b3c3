/**
 * Whether a turn gets anywhere, told from its beats alone: a model that goes in circles pays for each
 * round. What is new is a line that no result held before, a file in a state it was not in before, or a
 * command that was not run before.
 */
import { createHash } from 'node:crypto'
import type { Beat, BeatPayload } from '@bridlewise/shared/wire'

export interface ProgressLimits {
  /** Steps in a row that only made calls which were made before, and brought nothing new. */
  readonly repeatedSteps: number
  /** Steps in a row that brought nothing new, whatever they asked. */
  readonly barrenSteps: number
}

/** Summaries with nothing new before them that end a turn. */
const uselessCompactions = 2

/** Lines that are remembered; those beyond count as new, so that no long turn is stopped by what was forgotten. */
const mostLines = 200_000

export interface ProgressWatch {
  /** Take note of a beat that the ledger holds. */
  add(beat: Beat): void
  /** At the end of a step with calls: why the turn should pause, or null. */
  endStep(limits: ProgressLimits): string | null
}

export function watchProgress(): ProgressWatch {
  const asked = new Set<string>()
  const lines = new Set<string>()
  const states = new Set<string>()
  const untried = new Set<string>()
  let step = { news: false, fresh: false }
  let repeated = 0
  let barren = 0
  let useless = 0
  let newsSinceCompaction = true

  function ask(key: string): boolean {
    const fresh = !asked.has(key)
    asked.add(key)
    step.fresh ||= fresh
    return fresh
  }

  function read(text: string): void {
    for (const line of text.split('\n')) {
      const content = withoutChance(line).trim()
      if (content === '' || lines.has(content)) continue
      step.news = true
      if (lines.size < mostLines) lines.add(content)
    }
  }

  function change({ effect, target, before, after }: BeatPayload<'effect'>): void {
    if (effect !== 'file') return
    states.add(`${target}\0${before}`)
    const state = `${target}\0${after}`
    if (!states.has(state)) step.news = true
    states.add(state)
  }

  return {
    add(beat) {
      switch (beat.kind) {
        case 'call': {
          const { callId, tool, capability, input } = beat.payload
          if (ask(keyOf(tool, input)) && capability !== 'read') untried.add(callId)
          return
        }
        case 'blocked':
          ask(keyOf(beat.payload.tool, beat.payload.input))
          return
        case 'effect':
          return change(beat.payload)
        case 'result':
          // A command that was not run before may have done what its output does not show.
          if (untried.delete(beat.payload.callId) && beat.payload.status === 'done') step.news = true
          return read(beat.payload.text)
        case 'compaction':
          useless = newsSinceCompaction ? 0 : useless + 1
          newsSinceCompaction = false
          // What the model has to read again is no repetition.
          asked.clear()
          return
      }
    },
    endStep({ repeatedSteps, barrenSteps }) {
      const { news, fresh } = step
      step = { news: false, fresh: false }
      newsSinceCompaction ||= news
      barren = news ? 0 : barren + 1
      repeated = news || fresh ? 0 : repeated + 1
      if (useless >= uselessCompactions) return 'the conversation was summarised again and again, and nothing new came in between'
      if (repeated >= repeatedSteps) return `the last ${repeated} steps repeated earlier calls and brought nothing new`
      if (barren >= barrenSteps) return `the last ${barren} steps brought nothing new and changed nothing`
      return null
    },
  }
}

function keyOf(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, input]))
    .digest('base64')
}

/** Times differ with every run of the same command, and numbers of lines with every piece of the same file; that is no news. */
function withoutChance(line: string): string {
  return line
    .slice(0, 500)
    .replaceAll(/\d{4}-\d\d-\d\d/g, '')
    .replaceAll(/\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?/g, '')
    .replaceAll(/\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|min|minutes)\b/g, '')
    .replace(/lines \d+–\d+ of \d+.*/, '')
}
