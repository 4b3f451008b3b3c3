/** The page of every limit, from the table that the posture serves. */
import { growth, listLimits, usualLimits } from '@bridlewise/server'

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
    '## What grows in the data home',
    '',
    '| where | what | what bounds it |',
    '|---|---|---|',
    ...growth.map(({ place, what, bound }) => `| \`${place}\` | ${what} | ${bound} |`),
    '',
  ].join('\n')
}
