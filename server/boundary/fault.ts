/** What is said of a fault: enough to find the line, and nothing of what people or models said. */
import { randomBytes } from 'node:crypto'
import { createRedactor } from '@bridlewise/engine'

export interface LoggedFault {
  /** Says nothing and may be shown to anyone. */
  readonly id: string
  /** The error and what caused it, outermost first; at most `mostCauses`. */
  readonly causes: readonly Cause[]
}

export interface Cause {
  readonly name: string
  readonly code: string | null
  readonly message: string
  /** Lines of the stack, without the message. */
  readonly frames: readonly string[]
}

const mostCauses = 5
const mostFrames = 30
const messageLength = 300

/** Contract: what is thrown may be anything; a value that is no error has only its type told. */
export function describeFault(cause: unknown): LoggedFault {
  const causes: Cause[] = []
  let at: unknown = cause
  while (at instanceof Error && causes.length < mostCauses) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : null
    causes.push({ name: at.name, code, message: withoutQuotations(at.message), frames: framesOf(at) })
    at = at.cause
  }
  if (causes.length === 0) causes.push({ name: typeof cause, code: null, message: 'it was thrown and is no error', frames: [] })
  return { id: `fault_${randomBytes(8).toString('hex')}`, causes }
}

/**
 * Errors quote what they were given: a parser its input, the system a path, a check its value. The
 * quotations go, and what looks like a secret outside them.
 */
function withoutQuotations(message: string): string {
  const [line = ''] = message.split('\n', 1)
  const plain = line
    .replaceAll(/"[^"]*("|$)/g, '"…"')
    .replaceAll(/`[^`]*(`|$)/g, '`…`')
    .replaceAll(/(?<![\p{L}\p{N}])'[^']*('|$)/gu, "'…'")
  return redactor.redact(plain.slice(0, messageLength)).text
}

const redactor = createRedactor({ salt: randomBytes(16).toString('hex') })

/** The stack begins with the message, which may have lines that look like frames. */
function framesOf({ message, stack = '' }: Error): string[] {
  const start = stack.indexOf(message)
  return stack
    .slice(start < 0 ? 0 : start + message.length)
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => line.trim().slice(0, 300))
    .slice(0, mostFrames)
}
