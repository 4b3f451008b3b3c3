/**
 * From a turn's events to frames and to the chat. Words are gathered for a moment, so that a fast
 * model does not cost a commit for each token; the first word, and every beat, goes out at once.
 */
import type { TurnEvent } from '@bridlewise/engine'
import type { FrameDraft, Outcome } from '@bridlewise/shared/wire'
import type { RunParts } from './control.ts'
import type { RunBeatScope } from './ticket.ts'

/** How long words are gathered: about one picture of a screen. Milliseconds. */
const gatherMs = 16

type RecordParts = Pick<RunParts, 'store' | 'feed' | 'clock'>

/**
 * Drive a turn to its end and record what it yields.
 *
 * Contract: when it resolves every frame is stored and shown. A frame that cannot be stored ends the
 * turn and throws.
 */
export async function recordTurn(
  parts: RecordParts,
  scope: RunBeatScope,
  turn: AsyncGenerator<TurnEvent, Outcome>,
): Promise<Outcome> {
  const sink = new FrameSink(parts, scope)
  try {
    for (;;) {
      const next = await turn.next()
      if (next.done) return next.value
      projectMessage(parts, scope, next.value)
      sink.accept(next.value)
    }
  } finally {
    await turn.return(undefined as never)
    await sink.settle()
  }
}

/** What the model said becomes a message of the chat. */
function projectMessage({ store }: RecordParts, scope: RunBeatScope, event: TurnEvent): void {
  if (event.type !== 'beat' || event.beat.kind !== 'message') return
  const { messageId, role, text } = event.beat.payload
  const { chatId, runId } = scope
  store.messages.add(scope, { id: messageId, chatId, runId, role, text, createdAt: event.beat.at })
}

class FrameSink {
  readonly #parts: RecordParts
  readonly #scope: RunBeatScope
  #pending: FrameDraft[] = []
  #writing: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #urgent = false
  #flushedAt = Number.NEGATIVE_INFINITY
  #fault: { readonly cause: unknown } | null = null

  constructor(parts: RecordParts, scope: RunBeatScope) {
    this.#parts = parts
    this.#scope = scope
  }

  /** Throws what kept an earlier frame from being stored. */
  accept(event: TurnEvent): void {
    if (this.#fault) throw this.#fault.cause
    const merged = merge(this.#pending.at(-1), event)
    if (merged) this.#pending[this.#pending.length - 1] = merged
    else this.#pending.push(toDraft(event))
    if (event.type === 'beat') this.#urgent = true
    this.#schedule()
  }

  async settle(): Promise<void> {
    while (this.#writing || (this.#pending.length > 0 && !this.#fault)) {
      this.#flush()
      await this.#writing
    }
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#fault) throw this.#fault.cause
  }

  #schedule(): void {
    if (this.#writing || this.#pending.length === 0) return
    const wait = this.#flushedAt + gatherMs - this.#parts.clock.elapsed()
    if (this.#urgent || wait <= 0) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), wait)
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#writing || this.#pending.length === 0) return
    const drafts = this.#pending
    this.#pending = []
    this.#urgent = false
    this.#flushedAt = this.#parts.clock.elapsed()
    this.#writing = this.#parts.feed
      .append(this.#scope, drafts)
      .catch((cause: unknown) => {
        this.#fault ??= { cause }
      })
      .finally(() => {
        this.#writing = null
        this.#schedule()
      })
  }
}

/** The last frame with the event's words added, when both speak of the same thing and nothing came between. */
function merge(last: FrameDraft | undefined, event: TurnEvent): FrameDraft | null {
  if (last?.kind === 'output') {
    const same = event.type === 'output' && event.callId === last.callId && event.stream === last.stream
    return same ? { ...last, text: last.text + event.text } : null
  }
  if (last?.kind !== 'text' && last?.kind !== 'reasoning') return null
  const same = (event.type === 'text' || event.type === 'reasoning') && event.type === last.kind && event.step === last.step
  return same ? { ...last, text: last.text + event.text } : null
}

function toDraft(event: TurnEvent): FrameDraft {
  const { type: kind, ...rest } = event
  return { kind, ...rest } as FrameDraft
}
