/** The page of every limit, from the table that the posture serves. */
import { listLimits, usualLimits } from '@bridlewise/server'

export function limitsPage(): string {
  return [
    '# Limits',
    '',
    'Every limit, read from the file that enforces it. The posture screen shows those in force on a running server.',
    '',
    '| what | limit | where |',
    '|---|---|---|',
    ...listLimits(usualLimits).map((line) => `| ${line.title} | ${line.text} | \`${line.where}\` |`),
    '',
  ].join('\n')
}
