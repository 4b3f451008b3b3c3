/** JSON Schema of what operations take and give, for the served interface schema and for OpenAPI. */
import type { Operation } from '@bridlewise/shared'
import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/** What a caller may send: defaults are still optional, and unknown fields are not taken. */
export function inputSchema(operation: Operation): JsonSchema {
  return describe(operation.input.strict(), 'input')
}

/** What a reply holds, or for a stream each frame. */
export function outputSchema(operation: Operation): JsonSchema {
  return describe(operation.kind === 'stream' ? operation.frame : operation.output, 'output')
}

/** The fields of an object schema, each with whether it must be there. */
export function fieldsOf(schema: JsonSchema): { name: string; schema: JsonSchema; required: boolean }[] {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.entries(properties).map(([name, field]) => ({ name, schema: field, required: required.has(name) }))
}

/** An object schema without some of its fields. */
export function withoutFields(schema: JsonSchema, names: ReadonlySet<string>): JsonSchema {
  const kept = fieldsOf(schema).filter((field) => !names.has(field.name))
  return {
    ...schema,
    properties: Object.fromEntries(kept.map((field) => [field.name, field.schema])),
    required: kept.filter((field) => field.required).map((field) => field.name),
  }
}

/** What JSON Schema cannot say is left open (`{}`): the server's own check is the one that counts. */
function describe(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return described
}
