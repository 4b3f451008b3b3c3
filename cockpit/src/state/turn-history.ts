/** Past turns of a chat, read page by page: the chat's runs, and each run's beats from the ledger. */
import type { Chat } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import type { Beat, Run } from '@bridlewise/shared/wire'
import type { BlocksClient } from '../client/index.ts'
import { emptyTurn, type Turn } from './turn.ts'
import { foldBeat } from './turn-model.ts'

/** Messages on a page: what fills some screens, and few enough runs to be read at once. */
const pageSize = 60

export interface TurnPage {
  readonly chat: Chat
  readonly turns: readonly Turn[]
  readonly next: string | null
}

export async function readTurns(
  calls: BlocksClient,
  page: { readonly chatId: string; readonly after: string | null },
): Promise<Result<TurnPage>> {
  const reply = await calls.chat.get({ chatId: page.chatId, limit: pageSize, ...(page.after ? { after: page.after } : {}) })
  if (!reply.ok) return reply
  const { chat, messages, next } = reply.value
  const runs = [...reply.value.runs].sort((a, b) => a.createdAt - b.createdAt)
  const read = await Promise.all(runs.map((run) => readBeats(calls, run)))
  const turns: Turn[] = []
  for (const [index, run] of runs.entries()) {
    const beats = read[index]
    if (beats && !beats.ok) return beats
    const asked = messages.find((message) => message.runId === run.id && message.role === 'user')
    const turn: Turn = {
      ...emptyTurn(run.id),
      run,
      prompt: asked ? { text: asked.text, at: asked.createdAt } : null,
      startedAt: run.startedAt,
      outcome: run.outcome,
    }
    turns.push((beats?.value ?? []).reduce(foldBeat, turn))
  }
  return { ok: true, value: { chat, turns, next: next ?? null } }
}

/** All beats of a run that has ended. An active run is watched instead: its frames bring its beats. */
async function readBeats(calls: BlocksClient, run: Run): Promise<Result<Beat[]>> {
  const beats: Beat[] = []
  if (run.status === 'queued' || run.status === 'running') return { ok: true, value: beats }
  for (let after: string | undefined; ; ) {
    const reply = await calls.timeline.list({ runId: run.id, limit: 500, ...(after ? { after } : {}) })
    if (!reply.ok) return reply
    beats.push(...reply.value.beats)
    after = reply.value.next
    if (!after) return { ok: true, value: beats }
  }
}
