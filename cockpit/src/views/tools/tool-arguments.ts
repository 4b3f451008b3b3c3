/** The arguments of a tool, read from its JSON Schema as far as a person wants them. */

export interface ToolArgument {
  readonly name: string
  readonly type: string
  readonly about: string
  readonly required: boolean
}

export function listArguments(schema: Readonly<Record<string, unknown>>): ToolArgument[] {
  const properties = asRecord(schema['properties'])
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties).map(([name, value]) => {
    const property = asRecord(value)
    const about = property['description']
    return { name, type: typeOf(property), about: typeof about === 'string' ? about : '', required: required.includes(name) }
  })
}

function typeOf(property: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(property['enum'])) return property['enum'].map(String).join(' | ')
  if (property['type'] === 'array') return `${typeOf(asRecord(property['items']))}[]`
  if (typeof property['type'] === 'string') return property['type']
  const choices = property['anyOf'] ?? property['oneOf']
  return Array.isArray(choices) ? [...new Set(choices.map((choice) => typeOf(asRecord(choice))))].join(' | ') : 'any'
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
