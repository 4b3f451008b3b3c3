/**
 * The title of a chat, thought up by the small model once its first turn is over. The turn does not know of it:
 * nothing waits for it, and whatever goes wrong leaves the first words as the title.
 */
import type { ModelEvent, ModelRequest } from '@bridlewise/shared/wire'
import { type OpenedDesk, openDesk } from '../egress/index.ts'
import { wantsTitles } from '../roles/index.ts'
import type { RunParts } from './control.ts'
import { deskOf, payerOf } from './leaving.ts'
import type { Ticket } from './ticket.ts'
import { askForTitle, mostRead, titleIn } from './title-words.ts'

/** From the first byte to the last, in milliseconds; and tokens of the answer, with room for a model that thinks first. */
export const titleLimits = { ms: 30_000, tokens: 1_000 } as const
/** Runs of a chat that are looked at; one with more is not new. */
const mostRuns = 20

export interface Naming {
  /** Think up a title for the chat of a run that has ended, where one is wanted. Contract: returns at once. */
  begin(ticket: Ticket): void
  /** Stop what is under way. */
  close(): Promise<void>
}

export function createNaming(parts: RunParts): Naming {
  const stop = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  return {
    begin(ticket) {
      if (stop.signal.aborted || !isWanted(parts, ticket)) return
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(titleLimits.ms)])
      const naming: Promise<unknown> = nameChat(parts, ticket, signal)
        .catch((cause: unknown) => void (signal.aborted || parts.reportFault(cause)))
        .finally(() => underWay.delete(naming))
      underWay.add(naming)
    },
    async close() {
      stop.abort()
      await Promise.all(underWay)
    },
  }
}

/** After the first turn that came to an answer, and only where nobody gave a name. */
function isWanted({ store }: RunParts, { scope, fixture, task }: Ticket): boolean {
  if (fixture || task !== 'answer' || !wantsTitles(store, scope)) return false
  if (store.chats.get(scope, scope.chatId)?.titleFrom !== 'words') return false
  const { items } = store.runs.list(scope, { chatId: scope.chatId, limit: mostRuns })
  const completed = items.filter(({ status }) => status === 'completed')
  return items.length < mostRuns && completed.length === 1 && completed[0]?.id === scope.runId
}

async function nameChat(parts: RunParts, ticket: Ticket, signal: AbortSignal): Promise<void> {
  const { store } = parts
  const { scope } = ticket
  const wanted = deskOf(parts, ticket)
  // Nobody sits before a run that has ended to look at a request for it.
  if (wanted.isHeld()) return
  const out = await openDesk(parts, wanted, signal)
  const answer = await ask(parts, { ticket, out }, signal)
  const title = answer === null ? null : titleIn(answer)
  if (title !== null) store.chats.suggestTitle(scope, scope.chatId, title)
}

interface Asking {
  readonly ticket: Ticket
  readonly out: OpenedDesk
}

/**
 * One request, on record like any other; null when there was no answer.
 *
 * Contract: nothing is sent that the budget does not admit, and nothing is written about a chat that is gone.
 */
async function ask(parts: RunParts, { ticket, out }: Asking, signal: AbortSignal): Promise<string | null> {
  const { store, budget, clock } = parts
  const { scope, endpoint, small } = ticket
  const request = requestFor(parts, ticket)
  const admitted = budget.purseFor(payerOf(ticket)).admit(request)
  if (!admitted.ok) return null
  const isThere = () => store.chats.get(scope, scope.chatId) !== null
  const desk = {
    ...out.desk,
    depart: async (leaving: Parameters<typeof out.desk.depart>[0]) => {
      if (!isThere()) throw new Error('the chat is gone')
      await out.desk.depart(leaving)
    },
  }
  const model = parts.bridge.modelFor(small?.endpoint ?? endpoint, store.providers.secrets(scope), desk)
  const enough = new AbortController()
  const startedAt = clock.elapsed()
  const heard = listen()
  try {
    for await (const event of model.stream(request, AbortSignal.any([signal, enough.signal]))) {
      if (event.type === 'sent') heard.requestId = noteSent(event)
      take(heard, event)
      if (heard.text.length > mostRead) enough.abort()
    }
    noteAnswer()
  } finally {
    admitted.value.release()
  }
  return heard.finish === 'stop' ? heard.text : null

  function noteSent({ egress }: Extract<ModelEvent, { type: 'sent' }>): string | null {
    const payload = { step: request.step, egress }
    return store.transaction(() =>
      isThere() ? store.ledger.write(scope, { kind: 'request', payload, source: 'server' }).id : null,
    )
  }

  function noteAnswer(): void {
    const { requestId, finish, refusal, usage, text } = heard
    if (requestId === null || !isThere()) return
    const charge = admitted.ok ? admitted.value.charge({ usage, received: text.length, failed: refusal !== null }) : null
    const payload = { step: request.step, finish, refusal, usage, firstMs: null, ms: clock.elapsed() - startedAt, charge }
    store.transaction(() => {
      const beat = store.ledger.write(scope, { kind: 'response', payload, source: 'model', derivation: [requestId] })
      if (charge) store.charges.add(scope, { ...charge, at: beat.at })
    })
  }
}

function requestFor({ store }: RunParts, { scope, run, prompt, small }: Ticket): ModelRequest {
  const { items } = store.messages.list(scope, scope.chatId, { limit: 50 })
  const answer = items.findLast(({ runId, role }) => runId === run.id && role === 'assistant')?.text ?? ''
  const requests = store.ledger.newest(scope, { chatId: scope.chatId, kinds: ['request'], limit: 100 })
  const ours = requests.map((beat) => (beat.kind === 'request' && beat.runId === run.id ? beat.payload.step : 0))
  const modelId = small?.choice.modelId ?? run.model.modelId
  return {
    runId: run.id,
    step: Math.max(0, ...ours) + 1,
    modelId,
    messages: askForTitle({ request: prompt, answer }),
    tools: [],
    purpose: 'title',
    maxOutputTokens: titleLimits.tokens,
  }
}

type Heard = ReturnType<typeof listen>
type Ended = Extract<ModelEvent, { type: 'end' }>

function listen() {
  return {
    requestId: null as string | null,
    text: '',
    finish: null as Ended['finish'] | null,
    usage: null as Extract<ModelEvent, { type: 'usage' }>['usage'] | null,
    refusal: null as Extract<ModelEvent, { type: 'failed' }>['refusal'] | null,
  }
}

function take(heard: Heard, event: ModelEvent): void {
  if (event.type === 'text') heard.text += event.text
  else if (event.type === 'usage') heard.usage = event.usage
  else if (event.type === 'end') heard.finish = event.finish
  else if (event.type === 'failed') heard.refusal = event.refusal
}
