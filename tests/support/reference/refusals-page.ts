/** The page of all refusals, from the registry. */
import { type RefusalEntry, registry } from '@bridlewise/shared/refusals'

export function refusalsPage(): string {
  const rows = Object.entries(registry)
    .sort(([one], [other]) => one.localeCompare(other, 'en'))
    .map(
      ([code, entry]: [string, RefusalEntry]) =>
        `| \`${code}\` | ${entry.status} | ${entry.fix} | ${entry.retry} | ${entry.message} |`,
    )
  return [
    '# Refusals',
    '',
    'Every expected no. `fix` says who can change the outcome, `retry` whether the same call can succeed later. Places in `{braces}` are filled and also travel as `details`.',
    '',
    '| code | status | fix | retry | message |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
