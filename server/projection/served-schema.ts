/** The interface schema as one role sees it: what it may not call is not in it. */
import { type Access, type Block, type BlockList, type Operation, operationPath, type ServedBlock } from '@bridlewise/shared'
import { inputSchema, outputSchema } from './json-schema.ts'

export type Role = 'admin' | 'member'

/** Made once per role and list: the blocks do not change while the server runs. */
const made = new WeakMap<BlockList, Map<Role, readonly ServedBlock[]>>()

/**
 * Describe the blocks to a caller.
 *
 * Contract: holds no handler's secret and no path of a component; tables, actions, downloads, signals
 * and settings whose operations the role may not call are left out with them.
 */
export function servedSchema(blocks: BlockList, role: Role): readonly ServedBlock[] {
  const byRole = made.get(blocks) ?? new Map<Role, readonly ServedBlock[]>()
  made.set(blocks, byRole)
  const known = byRole.get(role)
  if (known) return known
  const served = blocks.map((block) => serveBlock(block, role)).filter((block) => block.operations.length > 0)
  byRole.set(role, served)
  return served
}

function serveBlock(block: Block, role: Role): ServedBlock {
  const operations = Object.entries(block.operations).filter(([, operation]) => mayCall(role, operation.access))
  const names = new Set(operations.map(([name]) => name))
  const { settings } = block
  return {
    id: block.id,
    title: block.title,
    about: block.about,
    surface: block.surface,
    operations: operations.map(([name, operation]) => serveOperation(block, name, operation)),
    tables: block.tables
      .filter((table) => names.has(table.operation))
      .map((table) => ({ ...table, columns: [...table.columns] })),
    actions: block.actions
      .filter((action) => names.has(action.operation))
      .map((action) => ({ ...action, ...(action.fill ? { fill: { ...action.fill } } : {}) })),
    downloads: block.downloads.filter((download) => names.has(download.operation)).map((download) => ({ ...download })),
    signals: block.signals.filter((signal) => names.has(signal.operation)).map((signal) => ({ ...signal })),
    settings: settings && names.has(settings.read) && names.has(settings.write) ? { ...settings } : null,
  }
}

function serveOperation(block: Block, name: string, operation: Operation): ServedBlock['operations'][number] {
  return {
    name,
    kind: operation.kind,
    method: operation.method,
    path: operationPath(block, operation),
    title: operation.title,
    effect: operation.effect,
    idempotency: operation.idempotency,
    input: inputSchema(operation),
    output: outputSchema(operation),
    refusals: [...operation.refusals],
  }
}

function mayCall(role: Role, access: Access): boolean {
  return access !== 'admin' || role === 'admin'
}
