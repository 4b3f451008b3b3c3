/** The one list of blocks, checked whole before anything is projected from it. */
import { isRefusalCode } from '../refusals/index.ts'
import type { Block } from './block.ts'
import type { Operation } from './operation.ts'

export type BlockList = readonly Block[]

/** Thrown at start, never at a request: a declaration contradicts another or itself. */
export class DeclarationFault extends Error {
  override readonly name = 'DeclarationFault'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The blocks do not fit together:\n- ${problems.join('\n- ')}`)
    this.problems = problems
  }
}

/**
 * Accept a list of blocks as one module.
 *
 * Contract: after it returns, ids are unique, no two operations share method and path shape, each
 * path parameter is an input field, each refusal is registered, and every table, action, signal and
 * settings entry names an operation of the right kind. Throws `DeclarationFault` with every problem.
 */
export function defineModule<const Blocks extends BlockList>(blocks: Blocks): Blocks {
  const problems: string[] = []
  const ids = new Set<string>()
  const routes = new Map<string, string>()
  for (const block of blocks) {
    if (!/^[a-z][a-z0-9]*$/.test(block.id)) problems.push(`block id "${block.id}" is not one lower-case word`)
    if (ids.has(block.id)) problems.push(`block "${block.id}" is declared twice`)
    ids.add(block.id)
    for (const [name, operation] of Object.entries(block.operations)) {
      const label = `${block.id}.${name}`
      problems.push(...checkOperation(label, operation))
      const route = routeShape(block, operation)
      const other = routes.get(route)
      if (other) problems.push(`${label} and ${other} share the route ${route}`)
      routes.set(route, label)
    }
    problems.push(...checkAppearance(block))
  }
  if (problems.length > 0) throw new DeclarationFault(problems)
  return blocks
}

/** The full path of an operation, parameters still named: `/api/run/:runId/stream`. */
export function operationPath(block: Block, operation: Operation): string {
  return `${block.base}${operation.path}`
}

/** Names of the path parameters, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z][A-Za-z0-9]*)/g)].map((match) => match[1] as string)
}

function routeShape(block: Block, operation: Operation): string {
  return `${operation.method} ${operationPath(block, operation).replaceAll(/:[A-Za-z][A-Za-z0-9]*/g, ':')}`
}

function checkOperation(label: string, operation: Operation): string[] {
  const problems: string[] = []
  if (!/^(\/(:?[A-Za-z][A-Za-z0-9]*))*$/.test(operation.path)) problems.push(`${label} has an unusable path "${operation.path}"`)
  for (const parameter of pathParameters(operation.path)) {
    if (!(parameter in operation.input.shape)) problems.push(`${label} has no input field for :${parameter}`)
  }
  for (const code of operation.refusals) {
    if (!isRefusalCode(code)) problems.push(`${label} names the unregistered refusal "${String(code)}"`)
  }
  if (operation.kind === 'command' && operation.access === 'public' && operation.rate !== 'secret') {
    problems.push(`${label} is a public command outside the rate class "secret"`)
  }
  return problems
}

function checkAppearance(block: Block): string[] {
  const problems: string[] = []
  const want = (place: string, name: string, kind: Operation['kind']) => {
    const operation = block.operations[name]
    if (!operation) problems.push(`${block.id} ${place} names the unknown operation "${name}"`)
    else if (operation.kind !== kind) problems.push(`${block.id} ${place} wants a ${kind}, but "${name}" is a ${operation.kind}`)
  }
  for (const table of block.tables) want(`table ${table.id}`, table.operation, 'query')
  for (const action of block.actions) {
    want(`action ${action.id}`, action.operation, 'command')
    const isPlaced = action.table === undefined || block.tables.some(({ id }) => id === action.table)
    if (!isPlaced) problems.push(`${block.id} action ${action.id} stands at the unknown table "${action.table}"`)
  }
  for (const download of block.downloads) want(`download ${download.id}`, download.operation, 'query')
  for (const signal of block.signals) want(`signal ${signal.id}`, signal.operation, 'query')
  if (block.settings) {
    want('settings', block.settings.read, 'query')
    want('settings', block.settings.write, 'command')
  }
  return problems
}
