/** One-time codes: an administrator makes one, hands it over, and somebody uses it once. */
import { randomBytes } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { makeId } from '@bridlewise/shared/wire'
import type { CodePurpose, CodeRecord, Owner, Store } from '../storage/index.ts'
import { hashSecret, makeCode, readCode } from './secrets.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
export const lifeMs = { invite: 3 * dayMs, reset: dayMs } as const

export interface MadeCode {
  readonly id: string
  /** Stands here and nowhere else; it begins with what it is for, so that a form can ask for the rest. */
  readonly code: string
  readonly expiresAt: number
}

export function createCode(store: Store, given: { readonly purpose: CodePurpose; readonly maker: Owner }, at: number): MadeCode {
  const { purpose, maker } = given
  const code = `${purpose.kind}-${makeCode()}`
  const id = makeId('code', at, randomBytes(16))
  const expiresAt = at + lifeMs[purpose.kind]
  store.codes.create({ id, purpose, hash: hashSecret(code), madeBy: maker.userId, createdAt: at, expiresAt })
  return { id, code, expiresAt }
}

type CodeFor<Kind extends CodePurpose['kind']> = Omit<CodeRecord, 'purpose'> & {
  readonly purpose: Extract<CodePurpose, { readonly kind: Kind }>
}

/**
 * Look a code up without using it.
 *
 * Contract: whoever made it must still be an administrator; a clock that was put back by more than a
 * day makes no code live longer. One answer for every way in which a code can be no good.
 * Refuses: code_unusable.
 */
export function findCode<Kind extends CodePurpose['kind']>(
  store: Store,
  shown: { readonly kind: Kind; readonly code: string },
  now: number,
): Result<CodeFor<Kind>> {
  const found = store.codes.findByHash(hashSecret(readCode(shown.code)))
  const isCurrent = found !== null && now < found.expiresAt && now > found.createdAt - dayMs
  if (!isCurrent || !isFor(found, shown.kind)) return refuse('code_unusable')
  return store.users.get(found.madeBy)?.role === 'admin' ? ok(found) : refuse('code_unusable')
}

function isFor<Kind extends CodePurpose['kind']>(code: CodeRecord, kind: Kind): code is CodeFor<Kind> & CodeRecord {
  return code.purpose.kind === kind
}
