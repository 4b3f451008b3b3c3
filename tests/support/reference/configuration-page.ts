/** The page of the environment variables, from the server's own table. */
import { variables } from '@bridlewise/server'

export function configurationPage(): string {
  return [
    '# Configuration',
    '',
    "The server reads these variables at start and nothing else; a project's `.env` is never read. A bad value stops the start and says which; a proxy that cannot be read stops the requests that would go through it.",
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    ...variables.map(({ name, default: given, meaning }) => `| \`${name}\` | \`${given}\` | ${meaning} |`),
    '',
  ].join('\n')
}
