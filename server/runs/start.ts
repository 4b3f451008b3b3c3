/** From a request to a run that is on its way, or to a refusal that left nothing behind. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Run } from '@bridlewise/shared/wire'
import { takeTree } from './claim.ts'
import type { RunParts, StartRequest } from './control.ts'
import { reachProject, resolve } from './resolve.ts'
import type { Resolved, Ticket } from './ticket.ts'

/**
 * Make a run, with its chat and message, and hand its ticket to `launch`.
 *
 * Contract: chat, message, run and writer lease come into being together or not at all, and the
 * feed is open before anyone can know the run's id. A repeated idempotency key gets the first run.
 * Refuses: see `RunControl.start`.
 */
export async function startRun(parts: RunParts, request: StartRequest, launch: (ticket: Ticket) => void): Promise<Result<Run>> {
  const before = findEarlier(parts, request)
  if (before) return ok(before)
  const resolved = await resolve(parts, request)
  if (!resolved.ok) return resolved
  // From here to the launch nothing waits, so no other start can come between.
  const meanwhile = findEarlier(parts, request)
  if (meanwhile) return ok(meanwhile)
  const ticket = make(parts, request, resolved.value)
  if (!ticket.ok) return ticket
  parts.feed.open(ticket.value.run.id, 0)
  launch(ticket.value)
  return ok(ticket.value.run)
}

function findEarlier({ store }: RunParts, request: StartRequest): Run | null {
  return request.idempotencyKey === null ? null : store.runs.findByIdempotencyKey(request, request.idempotencyKey)
}

function make(parts: RunParts, request: StartRequest, resolved: Resolved): Result<Ticket> {
  const { store, ids, clock, limits } = parts
  return store.transaction(() => {
    if (store.runs.listActive(request).length >= limits.active) return refuse('run_too_many', { limit: limits.active })
    const still = lookAgain(parts, request, resolved)
    if (!still.ok) return still
    const runId = ids.next('run')
    if (resolved.project && request.mode === 'act') {
      const taken = takeTree(parts, resolved.project, { userId: request.userId, runId })
      if (!taken.ok) return taken
    }
    if (request.waitingId !== undefined && !store.waiting.remove(request, request.waitingId)) {
      return refuse('thing_unknown', { kind: 'waiting message' })
    }
    const createdAt = clock.now()
    const projectId = resolved.project?.id ?? null
    const chatId = resolved.chatId ?? ids.next('chat')
    if (resolved.chatId === null)
      store.chats.create(request, { id: chatId, title: titleOf(request.prompt), projectId, createdAt })
    else store.chats.touch(request, chatId, createdAt)
    const { mode, idempotencyKey, prompt } = request
    const { model, fixture } = resolved
    const run = store.runs.create(request, { id: runId, chatId, projectId, mode, model, fixture, idempotencyKey, createdAt })
    const messageId = ids.next('message')
    store.messages.add(request, { id: messageId, chatId, runId, role: 'user', text: prompt, createdAt })
    const scope = { userId: request.userId, runId, chatId }
    const continues = request.continues ?? null
    const task = request.task ?? 'answer'
    return ok({ ...resolved, scope, run, prompt, messageId, continues, task })
  })
}

/** What was resolved before something was waited for may be gone: the account, the chat, or the right to the project. */
function lookAgain({ store }: RunParts, request: StartRequest, { chatId, project }: Resolved): Result<'there'> {
  if (store.users.get(request.userId) === null) return refuse('session_missing')
  const chat = chatId === null ? null : store.chats.get(request, chatId)
  if (chatId !== null && chat === null) return refuse('thing_unknown', { kind: 'chat' })
  if (chat?.activeRunId) return refuse('chat_busy')
  const reached = project && reachProject(store, request, { projectId: project.id, chat })
  return reached === null || reached.ok ? ok('there') : reached
}

/** The first line of what was asked, as far as a list can show it. */
function titleOf(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0]?.replaceAll(/\s+/g, ' ') ?? ''
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line
}
