/** Who tells the book what: the boundary of answers, the workers of faults, the server of itself. */
import type { Slowdown } from '../accounts/index.ts'
import type { Answered } from '../boundary/index.ts'
import type { DeniedEgress } from '../llm/bridge.ts'
import { StorageFault } from '../storage/index.ts'
import type { AuditBook } from './book.ts'
import { kindOf } from './kinds.ts'

/** Not from a socket: the server itself. */
const nowhere = { userId: null, address: '', method: '', path: '' } as const

/** `at` is for one that was given before there was a book. */
export function noteAnswer(book: AuditBook, answered: Answered, at?: number): void {
  const kind = kindOf(answered)
  const { userId, address, method, path } = answered
  if (kind !== null) book.note({ kind, userId, address, method, path }, at)
}

/** Work in the background reads sealed values with no request at hand. */
export function noteFault(book: AuditBook, cause: unknown): void {
  const code = cause instanceof StorageFault ? cause.refusal.code : null
  if (code === 'sealed_value_tampered') book.note({ kind: code, ...nowhere })
}

/** Where it would have gone and what was to be sent are for the run's record. */
export function noteDeniedEgress(book: AuditBook, { reason, method, path }: DeniedEgress): void {
  book.note({ ...nowhere, kind: `egress_${reason}`, method, path })
}

export function noteServer(book: AuditBook, what: 'started' | 'stopped' | 'blocked' | 'log_grown'): void {
  book.note({ kind: `server_${what}`, ...nowhere })
}

/** What whoever runs the server did at its terminal, with no account and no socket. */
export function noteOperator(book: AuditBook, { kind, what }: { readonly kind: string; readonly what: string }): void {
  book.note({ ...nowhere, kind, path: `(terminal) ${what}` })
}

/** Each step by which wrong passwords make the next one wait longer. */
export function noteSlowdown(book: AuditBook, { userId, address, seconds }: Slowdown): void {
  book.note({ kind: 'sign_in_slowed', userId, address, method: '', path: `(next try in ${seconds} s)` })
}
