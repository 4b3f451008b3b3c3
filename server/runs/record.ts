/**
 * From a turn to the record. A beat, the frame that shows it and the message it may be are one
 * commit. Words are gathered for a moment, so that a fast model does not cost a commit for each
 * token; the first word goes out at once, and words before a beat go with it.
 */
import type { LedgerPort, TurnEvent, WriteBeat } from '@bridlewise/engine'
import type { Beat, BeatDraft, FrameDraft, Outcome } from '@bridlewise/shared/wire'
import type { RunParts } from './control.ts'
import type { RunBeatScope } from './ticket.ts'

/** How long words are gathered: one picture of a screen, so at most 60 frames a second. Milliseconds. */
const gatherMs = 17

type RecordParts = Pick<RunParts, 'store' | 'feed' | 'clock'>

export interface Recorder {
  /** The ledger of the run. Contract: what it resolved is stored and shown. */
  readonly ledger: LedgerPort
  /**
   * Drive a turn that writes to `ledger` to its end.
   *
   * Contract: when it resolves every frame is stored and shown. A frame that cannot be stored ends
   * the turn and throws.
   */
  follow(turn: AsyncGenerator<TurnEvent, Outcome>): Promise<Outcome>
}

export function createRecorder(parts: RecordParts, scope: RunBeatScope): Recorder {
  const words = new GatheredWords(parts, scope)
  return {
    ledger: {
      append: (draft) => appendBeats(parts, scope, { words, work: (write) => write(draft) }),
      appendTogether: (work) => appendBeats(parts, scope, { words, work: (write) => work(write as WriteBeat) }),
    },
    async follow(turn) {
      try {
        for (;;) {
          const next = await turn.next()
          if (next.done) return next.value
          // Beats were shown when they were written.
          if (next.value.type !== 'beat') words.add(next.value)
        }
      } finally {
        await turn.return(undefined as never)
        await words.settle()
      }
    },
  }
}

interface Appending<T> {
  readonly words: GatheredWords
  readonly work: (write: (draft: BeatDraft) => Beat) => T
}

/** Beats with what follows from them, and the frames that show them, words from before in front. */
async function appendBeats<T>(parts: RecordParts, scope: RunBeatScope, { words, work }: Appending<T>): Promise<T> {
  const { store, feed } = parts
  let written: { readonly value: T } | null = null
  await feed.commit(scope.runId, async (number) => {
    const before = words.take()
    written = await store.enqueue(() => {
      const beats: Beat[] = []
      const value = work((draft) => {
        const beat = store.ledger.write(scope, draft)
        keepMessage(store, scope, beat)
        keepCharge(store, scope, beat)
        beats.push(beat)
        return beat
      })
      store.frames.write(scope, number([...before, ...beats.map((beat) => ({ kind: 'beat' as const, beat }))]))
      return { value }
    })
  })
  // The run was ended from outside: what still happens is recorded, and there is no one left to show it to.
  return (written ?? store.transaction(() => ({ value: work((draft) => keepUnseen(store, scope, draft)) }))).value
}

function keepUnseen(store: RunParts['store'], scope: RunBeatScope, draft: BeatDraft): Beat {
  const beat = store.ledger.write(scope, draft)
  keepCharge(store, scope, beat)
  return beat
}

/** What the model said becomes a message of the chat; what a child said was said to the run. */
function keepMessage(store: RunParts['store'], scope: RunBeatScope, beat: Beat): void {
  if (beat.kind !== 'message' || beat.within !== undefined) return
  const { messageId, role, text } = beat.payload
  const { chatId, runId } = scope
  store.messages.add(scope, { id: messageId, chatId, runId, role, text, createdAt: beat.at })
  // Where it waited to steer the run it is not any more: delivered with the beat, or not at all.
  store.waiting.remove(scope, messageId)
}

/** What a response came to is added to what was spent: both are there, or neither is. */
function keepCharge(store: RunParts['store'], scope: RunBeatScope, beat: Beat): void {
  if (beat.kind === 'response' && beat.payload.charge) store.charges.add(scope, { ...beat.payload.charge, at: beat.at })
}

type WordEvent = Exclude<TurnEvent, { type: 'beat' }>
type WordDraft = Extract<FrameDraft, { kind: WordEvent['type'] }>

class GatheredWords {
  readonly #parts: RecordParts
  readonly #scope: RunBeatScope
  #pending: WordDraft[] = []
  #writing: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #writtenAt = Number.NEGATIVE_INFINITY
  #fault: { readonly cause: unknown } | null = null

  constructor(parts: RecordParts, scope: RunBeatScope) {
    this.#parts = parts
    this.#scope = scope
  }

  /** Throws what kept earlier words from being stored. */
  add(event: WordEvent): void {
    if (this.#fault) throw this.#fault.cause
    // Children speak at once: what one says follows what it said last, whoever spoke in between.
    const last = this.#pending.findLastIndex(({ within }) => within === event.within)
    const merged = merge(this.#pending[last], event)
    if (merged) this.#pending[last] = merged
    else this.#pending.push(toDraft(event))
    this.#schedule()
  }

  /** Hand over what is gathered; the caller stores it. */
  take(): readonly WordDraft[] {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const words = this.#pending
    this.#pending = []
    return words
  }

  async settle(): Promise<void> {
    while (this.#writing || (this.#pending.length > 0 && !this.#fault)) {
      this.#write()
      await this.#writing
    }
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#fault) throw this.#fault.cause
  }

  #schedule(): void {
    if (this.#writing || this.#pending.length === 0) return
    // A timer counts whole milliseconds, and one that is early would be one frame too many.
    const wait = Math.ceil(this.#writtenAt + gatherMs - this.#parts.clock.elapsed())
    if (wait <= 0) this.#write()
    else this.#timer ??= setTimeout(() => this.#write(), wait)
  }

  #write(): void {
    if (this.#writing || this.#pending.length === 0) return
    this.#writtenAt = this.#parts.clock.elapsed()
    this.#writing = this.#parts.feed
      .append(this.#scope, this.take())
      .catch((cause: unknown) => {
        this.#fault ??= { cause }
      })
      .finally(() => {
        this.#writing = null
        this.#schedule()
      })
  }
}

/** The last frame of a turn with the words of its next event, when both speak of the same thing. */
function merge(last: WordDraft | undefined, event: WordEvent): WordDraft | null {
  if (last?.kind === 'output') {
    const same = event.type === 'output' && event.callId === last.callId && event.stream === last.stream
    return same ? { ...last, text: last.text + event.text } : null
  }
  // Of countdowns in a row the last counts.
  if (last?.kind === 'waiting' && event.type === 'waiting') return toDraft(event)
  if (last?.kind !== 'text' && last?.kind !== 'reasoning') return null
  const same = (event.type === 'text' || event.type === 'reasoning') && event.type === last.kind && event.step === last.step
  return same ? { ...last, text: last.text + event.text } : null
}

function toDraft(event: WordEvent): WordDraft {
  const { type: kind, ...rest } = event
  return { kind, ...rest } as WordDraft
}
