/** From a request's three places to the one input that an operation declared. */
import { type Operation, pathParameters } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { z } from 'zod'

/** What the router and the parser found, each as it came. */
export interface RawInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/**
 * Build the reader of one operation's input.
 *
 * Contract: unknown fields are refused wherever they stand, also when the declaration forgot to be
 * strict; a path parameter cannot be given a second time; no value is repeated in a refusal. A
 * command without a body has an empty input.
 * Refuses: input_invalid with the path of the first thing that does not fit.
 */
export function inputReader(operation: Operation): (raw: RawInput) => Result<Record<string, unknown>> {
  const schema = operation.input.strict()
  const inPath = new Set(pathParameters(operation.path))
  return (raw) => {
    const query = fieldsOf(raw.query)
    const body = operation.kind === 'command' && raw.body !== undefined ? raw.body : {}
    if (!isPlainObject(body)) return invalid('', 'the body must be an object')
    const [stray] = operation.kind === 'command' ? Object.keys(query) : []
    if (stray !== undefined) return invalid(stray, 'a command takes its input from the body, not from the query')
    const given = operation.kind === 'command' ? body : query
    const [twice] = Object.keys(given).filter((name) => inPath.has(name))
    if (twice !== undefined) return invalid(twice, 'it stands in the path already')
    const parsed = schema.safeParse({ ...given, ...fieldsOf(raw.params) })
    if (parsed.success) return ok(parsed.data)
    const [issue] = parsed.error.issues
    return issue ? invalid(issue.path.join('.'), explain(issue)) : invalid('', 'it does not fit')
  }
}

function explain(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `it does not take ${issue.keys.slice(0, 5).map(quote).join(', ')}`
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'it is missing'
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1)
}

function invalid(path: string, problem: string): Result<never> {
  return refuse('input_invalid', {
    problem: (path === '' ? problem : `${quote(path)}: ${problem}`).slice(0, 300),
    path: path.slice(0, 100),
  })
}

/** A field's name may be anything that JSON can hold; a refusal shows the beginning of it. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 60))
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
