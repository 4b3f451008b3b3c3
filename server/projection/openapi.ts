/** OpenAPI 3.1 of every operation, for scripts and tools of the user's own. */
import { type Block, type BlockList, type Operation, operationPath, pathParameters } from '@bridlewise/shared'
import { type RefusalCode, refusalReplySchema, registry } from '@bridlewise/shared/refusals'
import { z } from 'zod'
import { sessionCookieName, tokenHeader } from '../boundary/index.ts'
import { fieldsOf, inputSchema, type JsonSchema, outputSchema, withoutFields } from './json-schema.ts'

/** What the choke point and the reader of the input may say to any call. */
const always: readonly RefusalCode[] = ['input_invalid', 'host_not_allowed', 'origin_not_allowed', 'rate_limited', 'server_fault']
const signedIn: readonly RefusalCode[] = ['session_missing', 'token_missing']
const withBody: readonly RefusalCode[] = ['request_malformed', 'content_type_not_json', 'body_too_large']
const withKey: readonly RefusalCode[] = ['idempotency_key_invalid', 'idempotency_key_reused']

/** The document, as a value. Contract: one path and method for each operation of the list, and nothing else. */
export function openApi(blocks: BlockList, version: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const block of blocks) {
    for (const [name, operation] of Object.entries(block.operations)) {
      const path = operationPath(block, operation).replaceAll(/:([A-Za-z][A-Za-z0-9]*)/g, '{$1}')
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(block, name, operation) }
    }
  }
  const { $schema: _dialect, ...refusal } = z.toJSONSchema(refusalReplySchema, { io: 'output', unrepresentable: 'any' })
  return {
    openapi: '3.1.0',
    info: { title: 'Bridlewise', version, description: 'A local server: it answers on this machine only.' },
    tags: blocks.map((block) => ({ name: block.id, description: block.about })),
    paths,
    components: {
      schemas: { Refusal: refusal },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookieName },
        token: { type: 'apiKey', in: 'header', name: tokenHeader },
        accessToken: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

function describeOperation(block: Block, name: string, operation: Operation): JsonSchema {
  const inPath = new Set(pathParameters(operation.path))
  const input = inputSchema(operation)
  const rest = withoutFields(input, inPath)
  return {
    operationId: `${block.id}.${name}`,
    tags: [block.id],
    summary: operation.title,
    security: operation.access === 'public' ? [] : [{ session: [], token: [] }, { accessToken: [] }],
    parameters: [
      ...fieldsOf(input)
        .filter((field) => inPath.has(field.name))
        .map((field) => ({ name: field.name, in: 'path', required: true, schema: field.schema })),
      ...(operation.kind === 'command'
        ? []
        : fieldsOf(rest).map((field) => ({ name: field.name, in: 'query', required: field.required, schema: field.schema }))),
      ...(operation.idempotency !== 'none' ? [headerParameter('Idempotency-Key', '^[A-Za-z0-9_-]{8,128}$')] : []),
      ...(operation.kind === 'stream' ? [headerParameter('Last-Event-ID', '^[1-9][0-9]{0,14}$')] : []),
    ],
    ...(operation.kind === 'command'
      ? {
          requestBody: {
            required: fieldsOf(rest).some((field) => field.required),
            content: { 'application/json': { schema: rest } },
          },
        }
      : {}),
    responses: { ...describeSuccess(operation), ...describeRefusals(operation) },
  }
}

function headerParameter(name: string, pattern: string): JsonSchema {
  return { name, in: 'header', required: false, schema: { type: 'string', pattern } }
}

function describeSuccess(operation: Operation): JsonSchema {
  const media = operation.kind === 'stream' ? 'text/event-stream' : 'application/json'
  return { [operation.status]: { description: operation.title, content: { [media]: { schema: outputSchema(operation) } } } }
}

function describeRefusals(operation: Operation): JsonSchema {
  const codes = new Set([
    ...operation.refusals,
    ...always,
    ...(operation.access === 'public' ? [] : signedIn),
    ...(operation.access === 'admin' ? (['access_denied'] as const) : []),
    ...(operation.kind === 'command' ? withBody : []),
    ...(operation.idempotency === 'none' ? [] : withKey),
    ...(operation.idempotency === 'once' ? (['answer_shown_once'] as const) : []),
  ])
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of codes) byStatus.set(registry[code].status, [...(byStatus.get(registry[code].status) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      { description: group.join(', '), content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } } },
    ]),
  )
}
