/** Past turns of a chat, read page by page: the chat's runs, and each run's beats from the ledger. */
import type { Chat, Message } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import type { Beat, RewindMark, Run } from '@bridlewise/shared/wire'
import type { BlocksClient } from '../client/index.ts'
import { emptyTurn, type Turn } from './turn.ts'
import { foldBeat } from './turn-model.ts'

/** Messages on a page: what fills some screens, and few enough runs to be read at once. */
const pageSize = 60

export interface TurnPage {
  readonly chat: Chat
  readonly turns: readonly Turn[]
  /** Those that count. */
  readonly rewinds: readonly RewindMark[]
  /** Runs of the page that are taken back. */
  readonly retracted: ReadonlySet<string>
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
  const turns: Turn[] = bareTurns(messages, runs)
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
  const rewinds = reply.value.rewinds.filter(({ counts }) => counts)
  const retracted = new Set(reply.value.retracted.map(({ runId }) => runId))
  return { ok: true, value: { chat, turns, rewinds, retracted, next: next ?? null } }
}

/** What a fork holds of a chat that was deleted since: its words alone. */
function bareTurns(messages: readonly Message[], runs: readonly Run[]): Turn[] {
  const known = new Set(runs.map(({ id }) => id))
  const turns = new Map<string, Turn>()
  for (const { runId, role, text, createdAt } of messages.filter((message) => !known.has(message.runId))) {
    const turn = turns.get(runId) ?? emptyTurn(runId)
    const part = { kind: 'text', step: 0, text, settled: true } as const
    turns.set(runId, role === 'user' ? { ...turn, prompt: { text, at: createdAt } } : { ...turn, parts: [...turn.parts, part] })
  }
  return [...turns.values()]
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
