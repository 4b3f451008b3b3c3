/** The page of the tools, from the one registry. */
import { builtinTools, createToolRegistry } from '@bridlewise/engine'

export function toolsPage(): string {
  const entries = createToolRegistry(builtinTools).manifest()
  const rows = entries.map(
    ({ name, capability, policy, renders, description }) =>
      `| \`${name}\` | ${capability} | ${policy} | ${renders} | ${description.replaceAll('\n', ' ').replaceAll('|', '\\|')} |`,
  )
  return [
    '# Tools',
    '',
    'What a model can ask for. `read` observes, `write` changes the project, `execute` runs code. The policy says what happens unless a rule says otherwise.',
    '',
    '| tool | capability | policy | shown as | what it does |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
