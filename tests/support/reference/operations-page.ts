/** The page of all operations, from the blocks. */
import { type Block, blocks, type Operation, operationPath } from '@bridlewise/shared'
import { z } from 'zod'

export function operationsPage(): string {
  const intro =
    'Every call of the server. Signed-in calls carry the session cookie and `x-bridlewise-token`, or `Authorization: Bearer <access token>`. A refusal is `{ "refusal": { "code", "message", "fix", "retry", "details"? } }`.'
  return `# Operations\n\n${intro}\n\n${blocks.map((block) => section(block)).join('\n')}`
}

function section(block: Block): string {
  const operations = Object.entries(block.operations).map(([name, operation]) => entry(block, name, operation))
  return `## ${block.title}\n\n${block.about}\n\n${operations.join('\n')}`
}

function entry(block: Block, name: string, operation: Operation): string {
  const facts = [operation.access, operation.effect, `rate ${operation.rate}`, `body ≤ ${operation.bodyLimit / 1024} KiB`]
  if (operation.idempotency === 'key') facts.push('takes `Idempotency-Key`')
  if (operation.idempotency === 'once') facts.push('takes `Idempotency-Key`, shows its answer once')
  const output =
    operation.kind === 'stream' ? `each frame: ${shapeOf(operation.frame)}` : `${operation.status}: ${shapeOf(operation.output)}`
  const refusals =
    operation.refusals.length > 0 ? operation.refusals.map((code) => `\`${code}\``).join(', ') : 'only those of the boundary'
  return [
    `### \`${block.id}.${name}\``,
    '',
    `\`${operation.method} ${operationPath(block, operation)}\`: ${operation.title}. (${facts.join(' · ')})`,
    '',
    `- in: ${shapeOf(operation.input)}`,
    `- out: ${output}`,
    `- refuses: ${refusals}`,
    '',
  ].join('\n')
}

/** A schema in one line: names and types, optional ones marked. Frames and beats are named, not spelled out. */
function shapeOf(schema: z.ZodType): string {
  return `\`${spell(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json, 0)}\``
}

interface Json {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Json>>
  readonly required?: readonly string[]
  readonly items?: Json
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Json[]
  readonly oneOf?: readonly Json[]
}

function spell(schema: Json, depth: number): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map((choice) => spell(choice, depth)))].join(' | ')
  if (schema.type === 'array') return `[${spell(schema.items ?? {}, depth)}…]`
  if (schema.type === 'object' && schema.properties) {
    if (depth > 2) return '{…}'
    const required = new Set(schema.required ?? [])
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => `${name}${required.has(name) ? '' : '?'}: ${spell(field, depth + 1)}`,
    )
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
  }
  return schema.type ?? 'any'
}
