/** The chat on screen: its turns, the run that is active, and what may be done to it. */
import type { Chat } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { Frame, ModelChoice, RewindMark, Run, RunMode } from '@bridlewise/shared/wire'
import type { FeedStatus } from '../client/index.ts'
import { type Attempt, callOnce, createAttempt } from './attempt.ts'
import type { StatePorts } from './ports.ts'
import { RewindPlanState } from './rewind.svelte.ts'
import { emptyTurn, type Turn } from './turn.ts'
import { isActive } from './turn-figures.ts'
import { readTurns } from './turn-history.ts'
import { foldFrame } from './turn-model.ts'
import { WaitingState } from './waiting.svelte.ts'

export interface Task {
  readonly prompt: string
  readonly projectId: string | null
  readonly model: ModelChoice | null
  readonly mode: RunMode
}

/** Frames are folded in batches, so that a fast stream costs one drawing and not hundreds. */
const batchMs = 32

/** How often, and how many times, the run is looked for that starts by itself behind one that ended. */
const nextRun = { everyMs: 250, looks: 20 } as const

export class ConversationState {
  chatId = $state<string | null>(null)
  chat = $state.raw<Chat | null>(null)
  turns = $state.raw<readonly Turn[]>([])
  /** Going back, as it stands in this chat: every rewind that counts, and the runs that are taken back. */
  rewinds = $state.raw<readonly RewindMark[]>([])
  retracted = $state.raw<ReadonlySet<string>>(new Set())
  /** The mark of the page of earlier turns; null when the first turn is here. */
  earlier = $state<string | null>(null)
  phase = $state<'none' | 'loading' | 'ready' | 'refused'>('none')
  refusal = $state.raw<Refusal | null>(null)
  feed = $state.raw<FeedStatus | null>(null)
  /** The prompt that was sent and has no run yet. */
  pending = $state.raw<{ readonly prompt: string; readonly at: number } | null>(null)
  stopping = $state(false)
  /** How the next task runs, and on which model when one was picked for this chat. */
  mode = $state<RunMode>('act')
  picked = $state.raw<ModelChoice | null>(null)
  /** What was said and no run has yet. */
  readonly waiting: WaitingState
  readonly active = $derived(this.turns.findLast(isActive) ?? null)

  readonly #ports: StatePorts
  readonly #onChange: () => void
  #leave: () => void = () => undefined
  readonly #attempt: Attempt
  readonly #continuing: Attempt
  readonly #compacting: Attempt

  constructor(ports: StatePorts, onChange: () => void) {
    this.#ports = ports
    this.#attempt = createAttempt(ports.newKey)
    this.#continuing = createAttempt(ports.newKey)
    this.#compacting = createAttempt(ports.newKey)
    this.waiting = new WaitingState(ports)
    this.#onChange = onChange
  }

  /** Show a chat, or with null the empty sheet of a new one. */
  async open(chatId: string | null): Promise<void> {
    if (chatId === this.chatId && this.phase === 'ready') return
    this.close()
    this.chatId = chatId
    if (chatId === null) return
    this.phase = 'loading'
    const reply = await readTurns(this.#ports.client.calls, { chatId, after: null })
    if (this.chatId !== chatId) return
    this.refusal = reply.ok ? null : reply.refusal
    this.phase = reply.ok ? 'ready' : 'refused'
    if (!reply.ok) return
    this.chat = reply.value.chat
    this.earlier = reply.value.next
    this.turns = reply.value.turns
    this.rewinds = reply.value.rewinds
    this.retracted = reply.value.retracted
    const last = this.turns.at(-1)?.run
    if (last) {
      this.mode = last.mode
      this.picked = { providerId: last.model.providerId, modelId: last.model.modelId }
    }
    await this.waiting.load(chatId)
    if (this.chatId === chatId && this.active) this.#watch(this.active)
  }

  /** Read the chat again when reading it had failed. */
  async retry(): Promise<void> {
    if (this.phase === 'refused') await this.open(this.chatId)
  }

  /** Read the chat again after it went back. */
  async reload(): Promise<void> {
    const { chatId } = this
    this.close()
    await this.open(chatId)
    this.#onChange()
  }

  planRewind(target: string): RewindPlanState {
    return new RewindPlanState(this.#ports, { chatId: this.chatId ?? '', target })
  }

  /** The rewinds between a turn and the one after it. */
  rewindsAfter(turn: Turn): readonly RewindMark[] {
    const from = turn.run?.createdAt ?? 0
    const until = this.turns[this.turns.indexOf(turn) + 1]?.run?.createdAt ?? Number.POSITIVE_INFINITY
    return this.rewinds.filter(({ at }) => at >= from && at < until)
  }

  /** Begin a new chat with the past up to a message, or all of it. */
  fork(upTo: string | null): Promise<Result<{ readonly chat: Chat }>> {
    const input = { chatId: this.chatId ?? '', ...(upTo ? { upTo } : {}) }
    return this.#ports.client.calls.chat.fork(input, { idempotencyKey: this.#ports.newKey() })
  }

  close(): void {
    this.waiting.forget()
    this.#leave()
    this.#leave = () => undefined
    this.chatId = null
    this.chat = null
    this.turns = []
    this.rewinds = []
    this.retracted = new Set()
    this.earlier = null
    this.phase = 'none'
    this.refusal = null
    this.feed = null
    this.stopping = false
    this.mode = 'act'
    this.picked = null
  }

  async loadEarlier(): Promise<void> {
    const { chatId, earlier } = this
    if (chatId === null || earlier === null) return
    this.earlier = null
    const reply = await readTurns(this.#ports.client.calls, { chatId, after: earlier })
    if (this.chatId !== chatId) return
    this.earlier = reply.ok ? reply.value.next : earlier
    this.refusal = reply.ok ? null : reply.refusal
    if (!reply.ok) return
    // A page counts messages, so a run may stand on two of them.
    const known = new Set(this.turns.map((turn) => turn.runId))
    this.retracted = new Set([...this.retracted, ...reply.value.retracted])
    this.turns = [...reply.value.turns.filter((turn) => !known.has(turn.runId)), ...this.turns]
  }

  /**
   * Send a task to this chat, or begin a new chat with it.
   *
   * Contract: a task that got no answer is sent again under the same key, so one click too many
   * bills nobody twice.
   */
  async send(task: Task): Promise<Result<Run>> {
    const { chatId } = this
    const { prompt, mode, projectId, model } = task
    this.pending = { prompt, at: this.#ports.now() }
    const input = {
      prompt,
      mode,
      ...(chatId ? { chatId } : {}),
      ...(projectId ? { projectId } : {}),
      ...(model ? { model } : {}),
    }
    const reply = await callOnce(this.#attempt, input, (options) => this.#ports.client.calls.run.start(input, options))
    this.pending = null
    if (!reply.ok) return reply
    const { run } = reply.value
    if (this.chatId === chatId && (chatId === null || chatId === run.chatId)) this.#begin(run, prompt)
    return { ok: true, value: run }
  }

  /** Go on where a run stopped, in a run of its own. Contract: nothing but this ever does. */
  async continueRun(turn: Turn): Promise<Refusal | null> {
    const input = { runId: turn.runId }
    const reply = await callOnce(this.#continuing, input, (options) => this.#ports.client.calls.run.continue(input, options))
    if (!reply.ok) return reply.refusal
    if (this.chatId === reply.value.run.chatId) this.#begin(reply.value.run, null)
    return null
  }

  /** Summarise the earlier turns, in a run of its own. */
  async compact(): Promise<Refusal | null> {
    const input = { chatId: this.chatId ?? '' }
    const reply = await callOnce(this.#compacting, input, (options) => this.#ports.client.calls.context.compact(input, options))
    if (!reply.ok) return reply.refusal
    if (this.chatId === reply.value.run.chatId) this.#begin(reply.value.run, null)
    return null
  }

  /** Start what was held, now. */
  async startWaiting(messageId: string): Promise<Refusal | null> {
    const reply = await this.waiting.start(messageId)
    if (!reply.ok) return reply.refusal
    if (this.chatId === reply.value.chatId) this.#begin(reply.value, null)
    return null
  }

  async stop(): Promise<Refusal | null> {
    if (!this.active) return null
    this.stopping = true
    const reply = await this.#ports.client.calls.run.cancel({ runId: this.active.runId })
    if (reply.ok || reply.refusal.code === 'run_already_ended') return null
    this.stopping = false
    return reply.refusal
  }

  /** What waits may have been written, changed or taken back on another page. */
  async lookAtWaiting(): Promise<void> {
    if (this.chatId !== null && this.phase === 'ready') await this.waiting.load(this.chatId)
  }

  /** Leave the stream while nobody looks: a browser keeps few connections to one host. */
  pause(): void {
    if (!this.active) return
    this.#leave()
    this.#leave = () => undefined
  }

  resume(): void {
    if (this.active) this.#watch(this.active)
  }

  /** Without a prompt, the first frames bring it. */
  #begin(run: Run, prompt: string | null): void {
    const asked = prompt === null ? null : { text: prompt, at: run.createdAt }
    const turn: Turn = { ...emptyTurn(run.id), run, prompt: asked, startedAt: run.createdAt }
    this.chatId = run.chatId
    this.phase = 'ready'
    this.turns = [...this.turns.filter((known) => known.runId !== run.id), turn]
    this.#watch(turn)
    this.#onChange()
  }

  /** Follow a run from its first frame; the turn is built anew, so nothing is counted twice. */
  #watch(turn: Turn): void {
    this.#leave()
    this.stopping = false
    const { runId, prompt, run, startedAt } = turn
    let current: Turn = { ...emptyTurn(runId), prompt, run, startedAt }
    let waiting: Frame[] = []
    let timer: ReturnType<typeof setTimeout> | null = null
    const flush = () => {
      timer = null
      current = waiting.reduce(foldFrame, current)
      waiting = []
      this.turns = this.turns.map((known) => (known.runId === runId ? current : known))
    }
    const leave = this.#ports.client.feed.watch(runId, {
      onFrame: (frame) => {
        waiting.push(frame)
        if (frame.kind === 'beat' && frame.beat.kind === 'message') this.waiting.takenIn(frame.beat.payload.messageId)
        if (frame.kind === 'ended') {
          if (timer) clearTimeout(timer)
          flush()
          this.stopping = false
          this.#onChange()
          void this.#followNext(frame.run.chatId)
        } else timer ??= setTimeout(flush, batchMs)
      },
      onStatus: (status) => {
        this.feed = status
      },
    })
    this.#leave = () => {
      if (timer) clearTimeout(timer)
      leave()
    }
  }

  /**
   * What waits may be the next run by now, started by the server; the page only looks for it. Once it looks in any
   * case: another page may have written what this one has not seen.
   */
  async #followNext(chatId: string): Promise<void> {
    for (let look = 0; look < nextRun.looks; look += 1) {
      const goes = look === 0 || this.waiting.goesOn
      await this.waiting.load(chatId)
      if (this.chatId !== chatId || this.active) return
      if (goes) {
        const reply = await this.#ports.client.calls.run.list({ chatId, limit: 1 })
        if (this.chatId !== chatId || this.active) return
        const run = reply.ok ? reply.value.runs[0] : undefined
        if (run && !this.turns.some(({ runId }) => runId === run.id)) {
          this.#begin(run, null)
          // It may have begun after the list was read, and its words wait no longer.
          return this.waiting.load(chatId)
        }
      }
      if (!this.waiting.goesOn) return
      await new Promise((resolve) => setTimeout(resolve, nextRun.everyMs))
    }
  }
}
