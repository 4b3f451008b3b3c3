/** The files that a tool's answer holds lines of, read off what the answer shows. */
import type { Details, FileDiff, FileLines } from '@bridlewise/shared/wire'

/** `text` is what the model was given: an edit's answer names files and holds no line of them. */
export function filesOf({ details, text }: { readonly details: Details; readonly text: string }): readonly FileLines[] {
  switch (details.kind) {
    case 'file':
      return [
        { path: details.path, lines: details.to < details.from ? [] : [[details.from, details.to]], digest: details.digest },
      ]
    case 'matches':
      return [...Map.groupBy(details.matches, ({ path }) => path)].map(([path, matches]) => {
        return { path, lines: toStretches(matches.map(({ line }) => line)), digest: null }
      })
    case 'diff':
      return details.files.map((diff) => {
        const shown = diff.hunks.some(({ header }) => text.includes(header))
        return { path: diff.path, lines: shown ? toStretches(newLines(diff)) : [], digest: null }
      })
    case 'text':
    case 'listing':
    case 'terminal':
    case 'blocker':
    case 'status':
      return []
    default:
      return details satisfies never
  }
}

function newLines(diff: FileDiff): number[] {
  return diff.hunks.flatMap(({ lines }) => lines.flatMap((line) => (line.new === null ? [] : [line.new])))
}

/** Neighbours joined, in order. */
function toStretches(lines: readonly number[]): [number, number][] {
  const stretches: [number, number][] = []
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = stretches.at(-1)
    if (last?.[1] === line - 1) last[1] = line
    else stretches.push([line, line])
  }
  return stretches
}
