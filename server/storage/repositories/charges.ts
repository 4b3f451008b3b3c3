/** What requests came to: the charges of the ledger's responses as numbers that can be summed. */
import type { Charge } from '@bridlewise/shared/wire'
import type { StoreContext } from '../context.ts'
import type { BeatScope } from '../ledger.ts'
import type { Owner } from '../pages.ts'

export interface ChargeSum {
  /** Billionths of a US dollar, of those requests whose price was known. */
  readonly nanos: number
  /** Requests whose price was not known. */
  readonly unpriced: number
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly calls: number
  /** Requests whose tokens were guessed. */
  readonly estimated: number
  readonly ms: number
}

/** Which charges. Fields that are left out leave nothing out. */
export interface ChargeFilter {
  readonly runId?: string
  readonly chatId?: string
  readonly projectId?: string
  /** Milliseconds since 1970: this and what is later. */
  readonly from?: number
}

/** Days are those of the server's clock, as `2026-11-30`. */
export type ChargeGroup = 'day' | 'project' | 'model' | 'chat'

export interface GroupedCharges extends ChargeSum {
  /** A day, a model's id, or the id of a project or chat; null for what belongs to no project. */
  readonly key: string | null
}

/** What one chat spent on one day with one model. */
export interface ChargeLine extends ChargeSum {
  readonly day: string
  readonly chatId: string
  readonly projectId: string | null
  readonly modelId: string
}

export interface Charges {
  /** Contract: called in the transaction that writes the response; the run has to be there. */
  add(scope: BeatScope, charge: Charge & { readonly at: number }): void
  sum(owner: Owner, filter: ChargeFilter): ChargeSum
  /** Days newest first; the others by what they cost. At most `limit` of them. */
  group(owner: Owner, by: ChargeGroup, given: { readonly from: number; readonly limit: number }): readonly GroupedCharges[]
  /** By day, chat, project and model: newest days first, at most `limit` of them. */
  lines(owner: Owner, given: { readonly limit: number }): readonly ChargeLine[]
}

const sums = `coalesce(sum(nanos), 0) AS nanos, count(*) - count(nanos) AS unpriced,
  coalesce(sum(inputTokens), 0) AS inputTokens, coalesce(sum(cachedTokens), 0) AS cachedTokens,
  coalesce(sum(outputTokens), 0) AS outputTokens, count(*) AS calls, coalesce(sum(estimated), 0) AS estimated,
  coalesce(sum(ms), 0) AS ms`

const keys: Readonly<Record<ChargeGroup, string>> = {
  day: "date(at / 1000, 'unixepoch', 'localtime')",
  project: 'projectId',
  model: 'modelId',
  chat: 'chatId',
}

export function createCharges({ database }: Pick<StoreContext, 'database'>): Charges {
  const insert = database.prepare<
    [string, number, string, string, string | null, number, number, number, number | null, number, number, string]
  >(
    `INSERT INTO charges (userId, at, runId, chatId, projectId, modelId, inputTokens, cachedTokens, outputTokens, nanos, estimated, ms)
     SELECT ?, ?, ?, ?, projectId, coalesce(?, modelId), ?, ?, ?, ?, ?, ? FROM runs WHERE id = ?`,
  )
  const sum = (where: string) =>
    database.prepare<[string, string | number], ChargeSum>(`SELECT ${sums} FROM charges WHERE ${where}`)
  const ofRun = sum('userId = ? AND runId = ?')
  const ofChat = sum('userId = ? AND chatId = ?')
  const ofProject = sum('userId = ? AND projectId = ?')
  const since = sum('userId = ? AND at >= ?')
  const grouped = (by: ChargeGroup) =>
    database.prepare<[string, number, number], GroupedCharges>(
      `SELECT ${keys[by]} AS key, ${sums} FROM charges WHERE userId = ? AND at >= ?
       GROUP BY 1 ORDER BY ${by === 'day' ? '1 DESC' : 'nanos DESC, inputTokens DESC'} LIMIT ?`,
    )
  const groups = { day: grouped('day'), project: grouped('project'), model: grouped('model'), chat: grouped('chat') }

  const ofLines = database.prepare<[string, number], ChargeLine>(
    `SELECT ${keys.day} AS day, chatId, projectId, modelId, ${sums} FROM charges WHERE userId = ?
     GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2, 3, 4 LIMIT ?`,
  )

  return {
    add({ userId, runId, chatId }, { at, inputTokens, cachedTokens, outputTokens, nanos, estimated, ms, modelId = null }) {
      if (runId === null || chatId === null) throw new Error('a charge outside a run')
      const tokens = [inputTokens, cachedTokens, outputTokens] as const
      insert.run(userId, at, runId, chatId, modelId, ...tokens, nanos, estimated ? 1 : 0, ms, runId)
    },
    sum({ userId }, { runId, chatId, projectId, from = 0 }) {
      if (runId !== undefined) return ofRun.get(userId, runId) ?? nothing
      if (chatId !== undefined) return ofChat.get(userId, chatId) ?? nothing
      if (projectId !== undefined) return ofProject.get(userId, projectId) ?? nothing
      return since.get(userId, from) ?? nothing
    },
    group: ({ userId }, by, { from, limit }) => groups[by].all(userId, from, limit),
    lines: ({ userId }, { limit }) => ofLines.all(userId, limit),
  }
}

const nothing: ChargeSum = {
  nanos: 0,
  unpriced: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  calls: 0,
  estimated: 0,
  ms: 0,
}
