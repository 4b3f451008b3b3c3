/** A form from the JSON Schema of an operation's input: which fields there are, and what they hold. */

export type FieldKind = 'text' | 'secret' | 'long' | 'number' | 'integer' | 'flag' | 'choice' | 'list' | 'json'

export interface FormField {
  readonly name: string
  readonly label: string
  readonly kind: FieldKind
  readonly required: boolean
  /** May be null, which an emptied field then means. */
  readonly nullable: boolean
  /** An empty list is no value here: the field is left out. */
  readonly listNeedsEntry: boolean
  readonly choices: readonly string[]
  readonly hint: string | null
  /** What the field holds at first, as text; a flag holds `true` or `false`. */
  readonly initial: string
}

type Schema = Readonly<Record<string, unknown>>
export type FormValues = Readonly<Record<string, string>>

/** Fields for the inputs that `known` does not give, in the order of the schema. */
export function fieldsOf(input: Schema, known: Readonly<Record<string, unknown>>): FormField[] {
  const required = new Set(Array.isArray(input['required']) ? input['required'] : [])
  return Object.entries(asSchema(input['properties']))
    .filter(([name]) => !(name in known))
    .map(([name, given]) => fieldOf(name, asSchema(given), required.has(name)))
}

/** What the fields hold at first; `present` are values to change, such as settings in force. */
export function initialValues(fields: readonly FormField[], present: Readonly<Record<string, unknown>> = {}): FormValues {
  return Object.fromEntries(
    fields.map((field) => [field.name, field.name in present ? writeValue(present[field.name]) : field.initial]),
  )
}

export type FormReading =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> }

/** Read what was typed. The server checks everything again; this only says early what cannot be sent. */
export function readForm(fields: readonly FormField[], values: FormValues): FormReading {
  const input: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const field of fields) {
    const typed = values[field.name] ?? ''
    const isEmpty = typed.trim() === '' && field.kind !== 'flag' && (field.kind !== 'list' || field.listNeedsEntry)
    if (isEmpty && field.nullable) input[field.name] = null
    else if (isEmpty && field.required) errors[field.name] = 'Fill this in.'
    else if (!isEmpty) readField(field, { typed, input, errors })
  }
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, input }
}

/** `baseUrl` reads "Base url", `api_key` reads "Api key". */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function fieldOf(name: string, given: Schema, required: boolean): FormField {
  const { schema, nullable } = withoutNull(given)
  const kind = kindOf(name, schema)
  const choices = kind === 'choice' ? (schema['enum'] as unknown[]).map(String) : []
  const preset = schema['default'] ?? given['default']
  const first = kind === 'flag' ? 'false' : kind === 'choice' && required ? (choices[0] ?? '') : ''
  return {
    name,
    label: typeof schema['title'] === 'string' ? schema['title'] : labelOf(name),
    kind,
    required,
    nullable,
    listNeedsEntry: kind === 'list' && Number(schema['minItems'] ?? 0) > 0,
    choices,
    hint: hintOf(kind, schema),
    initial: preset === undefined ? first : writeValue(preset),
  }
}

/** A value that may be null is described as a union with null, or by two types. */
function withoutNull(given: Schema): { schema: Schema; nullable: boolean } {
  const options = given['anyOf'] ?? given['oneOf']
  if (Array.isArray(options)) {
    const rest = options.filter((option) => asSchema(option)['type'] !== 'null')
    if (rest.length === 1 && rest.length < options.length) return { schema: asSchema(rest[0]), nullable: true }
  }
  if (Array.isArray(given['type']) && given['type'].includes('null')) {
    const types = given['type'].filter((type) => type !== 'null')
    return { schema: { ...given, type: types.length === 1 ? types[0] : types }, nullable: true }
  }
  return { schema: given, nullable: false }
}

function kindOf(name: string, schema: Schema): FieldKind {
  if (Array.isArray(schema['enum'])) return 'choice'
  switch (schema['type']) {
    case 'string':
      if (/password|secret|apikey|api_key/i.test(name)) return 'secret'
      return typeof schema['maxLength'] === 'number' && schema['maxLength'] > 5000 ? 'long' : 'text'
    case 'number':
    case 'integer':
      return schema['type']
    case 'boolean':
      return 'flag'
    case 'array':
      return asSchema(schema['items'])['type'] === 'string' ? 'list' : 'json'
    default:
      return 'json'
  }
}

function hintOf(kind: FieldKind, schema: Schema): string | null {
  if (typeof schema['description'] === 'string') return schema['description']
  if (kind === 'list') return 'One entry a line.'
  if (kind === 'json') return 'As JSON.'
  if (kind !== 'number' && kind !== 'integer') return null
  const least = schema['minimum']
  const most = schema['maximum']
  // A whole number that may be anything is described by the limits of safe integers.
  const isLimit = (value: unknown) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
  if (isLimit(least) && isLimit(most)) return `From ${least} to ${most}.`
  return isLimit(least) ? `At least ${least}.` : isLimit(most) ? `At most ${most}.` : null
}

interface Reading {
  readonly typed: string
  readonly input: Record<string, unknown>
  readonly errors: Record<string, string>
}

function readField(field: FormField, { typed, input, errors }: Reading) {
  switch (field.kind) {
    case 'text':
    case 'secret':
    case 'long':
    case 'choice':
      input[field.name] = typed
      return
    case 'number':
    case 'integer': {
      const value = Number(typed)
      if (!Number.isFinite(value)) errors[field.name] = 'This is not a number.'
      else if (field.kind === 'integer' && !Number.isInteger(value)) errors[field.name] = 'Give a whole number.'
      else input[field.name] = value
      return
    }
    case 'flag':
      input[field.name] = typed === 'true'
      return
    case 'list':
      input[field.name] = typed
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
      return
    case 'json':
      try {
        input[field.name] = JSON.parse(typed)
      } catch {
        errors[field.name] = 'This is not JSON.'
      }
      return
    default:
      field.kind satisfies never
  }
}

/** The text form of a value, as a field holds it. */
function writeValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
}
