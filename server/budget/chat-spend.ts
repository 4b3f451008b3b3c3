/** What one chat came to, and how near it is to the ceilings that count for it. */
import type { Clock } from '@bridlewise/engine'
import type { ChatSpend } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Owner, Store } from '../storage/index.ts'
import { amountsOf, measures, scopes, spellAmount } from './amounts.ts'
import { type CeilingStore, readCeilings } from './ceilings.ts'
import { filterOf } from './purse.ts'
import { spellCost } from './report.ts'

interface ChatSpendParts {
  readonly store: CeilingStore & Pick<Store, 'charges' | 'chats' | 'runs'>
  readonly clock: Pick<Clock, 'now'>
}

/** From this part of a ceiling on it is said to be near. */
const nearFrom = 0.8

/** Contract: the ceilings of a run are held against the newest run of the chat. Refuses: thing_unknown. */
export function readChatSpend({ store, clock }: ChatSpendParts, owner: Owner, chatId: string): Result<{ spend: ChatSpend }> {
  const chat = store.chats.get(owner, chatId)
  if (!chat) return refuse('thing_unknown', { kind: 'chat' })
  const [run] = store.runs.list(owner, { chatId, limit: 1 }).items
  const place = { runId: run?.id ?? '', chatId, projectId: chat.projectId }
  const ceilings = readCeilings(store, owner)
  const spent = store.charges.sum(owner, { chatId })
  const { unpriced, calls, inputTokens, cachedTokens, outputTokens, estimated } = spent
  const near = scopes.flatMap((scope) => {
    const filter = filterOf(scope, place, clock.now())
    if (filter === null) return []
    const used = amountsOf(store.charges.sum(owner, filter))
    return measures.flatMap((measure): ChatSpend['ceilings'] => {
      const most = ceilings[scope][measure]
      if (most === null) return []
      const words = `${spellAmount(measure, used[measure])} of ${spellAmount(measure, most)} for the ${scope}`
      return [{ scope, words, state: stateOf(used[measure], most) }]
    })
  })
  const figures = { calls, inputTokens, cachedTokens, outputTokens, estimated }
  return ok({ spend: { cost: spellCost(spent), unpriced: unpriced > 0, ...figures, ceilings: near } })
}

function stateOf(used: number, most: number): ChatSpend['ceilings'][number]['state'] {
  if (used >= most) return 'reached'
  return used >= most * nearFrom ? 'near' : 'room'
}
