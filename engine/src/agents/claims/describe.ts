/** Facts of the record in a few words, as reasons say them. */
import type { CommandFact, EditFact } from './evidence.ts'

export function describeGreen(check: CommandFact): string {
  return `${firstWords(check.command)} ended with 0${check.counts ? `: ${describeCounts(check)}` : ''}.`
}

export function describeRed(check: CommandFact): string {
  const counts = check.counts && check.counts.failed > 0 ? `, ${check.counts.failed} failed` : ''
  return `${firstWords(check.command)} ended with ${check.exitCode}${counts}.`
}

export function describeCounts({ counts }: CommandFact): string {
  return counts ? `${counts.passed} of ${counts.total} passed` : 'no numbers'
}

export function describeEdits(edits: readonly EditFact[]): string {
  const paths = [...new Set(edits.map(({ path }) => path))]
  return paths.length > 2 ? `${paths.length} files were` : `${paths.join(' and ')} ${paths.length === 1 ? 'was' : 'were'}`
}

function firstWords(command: string): string {
  const line = command.split('\n', 1)[0] ?? ''
  return `\`${line.length > 60 ? `${line.slice(0, 60)}…` : line}\``
}
