/** All state of the cockpit, one object a domain, put together once. */
import type { Refusal } from '@bridlewise/shared/refusals'
import type { ModelChoice } from '@bridlewise/shared/wire'
import type { BrowserStore, CockpitClient } from '../client/index.ts'
import { ChatContextState } from './chat-context.svelte.ts'
import { ChatSpendState } from './chat-spend.svelte.ts'
import { ChatsState } from './chats.svelte.ts'
import { ConversationState } from './conversation.svelte.ts'
import { DeskState } from './desk.svelte.ts'
import { DiagnosticsState } from './diagnostics.svelte.ts'
import { createDrafts, type Drafts } from './drafts.ts'
import { EgressRulesState } from './egress-rules.svelte.ts'
import { HoldsState } from './holds.svelte.ts'
import { LineState } from './line.svelte.ts'
import { OwnRedactionsState } from './own-redactions.svelte.ts'
import type { StatePorts } from './ports.ts'
import { PostureState } from './posture.svelte.ts'
import { ProjectsState } from './projects.svelte.ts'
import { ProvidersState } from './providers.svelte.ts'
import { RolesState } from './roles.svelte.ts'
import type { Route } from './route.ts'
import { SentState } from './sent.svelte.ts'
import { readDevice, readToken, SessionState } from './session.svelte.ts'
import { SurfacesState } from './surfaces.svelte.ts'
import { TimelineState } from './timeline.svelte.ts'
import { ToolsState } from './tools.svelte.ts'
import { isFixture } from './turn-figures.ts'

export interface CockpitGiven {
  readonly store: BrowserStore
  readonly now: () => number
  readonly newKey: () => string
  readonly wait: (ms: number) => Promise<void>
  /** Make the client. It is told here where the token lies and whom to tell about the line. */
  readonly connect: (watch: {
    token: () => string | null
    device: () => string | null
    signedOut: () => void
    locked: () => void
    reached: () => void
    unreachable: () => void
  }) => CockpitClient
}

/** A name is thought up in seconds, or not at all. Milliseconds between looks. */
const nameWaits = [1_500, 3_000, 6_000, 12_000] as const

export class Cockpit {
  readonly line: LineState
  readonly desk: DeskState
  readonly drafts: Drafts
  readonly session: SessionState
  readonly projects: ProjectsState
  readonly providers: ProvidersState
  readonly roles: RolesState
  readonly chats: ChatsState
  readonly chatContext: ChatContextState
  readonly chatSpend: ChatSpendState
  readonly conversation: ConversationState
  readonly timeline: TimelineState
  readonly posture: PostureState
  readonly diagnostics: DiagnosticsState
  readonly surfaces: SurfacesState
  readonly tools: ToolsState
  readonly sent: SentState
  readonly egressRules: EgressRulesState
  readonly ownRedactions: OwnRedactionsState
  readonly holds: HoldsState
  route = $state.raw<Route>({ place: 'new', projectId: null })
  /** The model that the next task goes to: this chat's, its project's when it is new, or the one chosen for new chats. */
  readonly model = $derived.by<ModelChoice | null>(() => {
    const { picked } = this.conversation
    const { own } = this.roles
    if (this.route.place === 'chat' && this.providers.has(own)) return own
    if (this.providers.has(picked)) return picked
    if (this.providers.has(own)) return own
    return this.providers.has(this.providers.chosen) ? this.providers.chosen : null
  })
  /** Whether the words here are recorded ones: those of this chat, or those that the next task would get. */
  readonly recorded = $derived.by(() => {
    const { recordedOnly, models } = this.providers
    const next = models.find(({ providerId, modelId }) => providerId === this.model?.providerId && modelId === this.model.modelId)
    return recordedOnly || next?.fixture === true || (this.route.place === 'chat' && this.conversation.turns.some(isFixture))
  })

  constructor(given: CockpitGiven) {
    const client = given.connect({
      token: () => readToken(given.store),
      device: () => readDevice(given.store),
      signedOut: () => this.session.lose(),
      locked: () => this.session.lock(),
      reached: () => this.line.note(true),
      unreachable: () => this.line.note(false),
    })
    const ports: StatePorts = { client, store: given.store, now: given.now, newKey: given.newKey }
    this.line = new LineState({
      // A locked server refuses this call, so the page learns that as well.
      ask: () => client.calls.account.status({}),
      wait: given.wait,
      now: given.now,
      onBack: () => void this.#catchUp(),
    })
    this.desk = new DeskState(given.store)
    this.drafts = createDrafts(given.store)
    this.session = new SessionState(ports)
    this.projects = new ProjectsState(ports)
    this.providers = new ProvidersState(ports)
    this.roles = new RolesState(ports)
    this.chats = new ChatsState(ports)
    this.chatContext = new ChatContextState(ports)
    this.chatSpend = new ChatSpendState(ports)
    this.conversation = new ConversationState(ports, () => {
      void this.#readChats(given.wait)
      void this.chatContext.open(this.conversation.chatId)
    })
    this.timeline = new TimelineState(ports)
    this.posture = new PostureState(ports)
    this.diagnostics = new DiagnosticsState(ports)
    this.surfaces = new SurfacesState(ports)
    this.tools = new ToolsState(ports)
    this.sent = new SentState(ports)
    this.egressRules = new EgressRulesState(ports)
    this.ownRedactions = new OwnRedactionsState(ports)
    this.holds = new HoldsState(ports)
  }

  /** Use a model in the chat that is open, or where none is, for new chats from now on. */
  async pickModel(choice: ModelChoice): Promise<Refusal | null> {
    this.conversation.picked = choice
    const { chatId } = this.conversation
    if (chatId === null) return this.providers.choose(choice)
    const assigned = await this.roles.assign({ chatId }, 'main', choice)
    if (assigned.ok && this.conversation.chatId === chatId) this.roles.here = assigned.value
    return assigned.ok ? null : assigned.refusal
  }

  /** Read the list of chats, and again for a while where the one at hand is being named. */
  async #readChats(wait: CockpitGiven['wait']): Promise<void> {
    const { chatId } = this.conversation
    await this.chats.load()
    for (const ms of nameWaits) {
      if (!this.roles.titles || chatId === null || this.chats.find(chatId)?.titleFrom !== 'words') return
      if (this.conversation.chatId !== chatId || this.conversation.active || this.conversation.turns.length > 1) return
      await wait(ms)
      await this.chats.load()
    }
  }

  /** Read what the shell shows, after signing in and after the line came back. */
  async load(): Promise<void> {
    await Promise.all([this.projects.load(), this.providers.load(), this.chats.load(), this.posture.load(), this.surfaces.load()])
  }

  /** Open the server's key home. A chat that was open when it was locked goes on. */
  async unlock(passphrase: string): Promise<Refusal | null> {
    const refusal = await this.session.unlock(passphrase)
    if (this.session.phase === 'signed_in') await this.conversation.retry()
    return refusal
  }

  /** Take what belongs to the person off the desk. Drafts stay in the browser, under their chats. */
  forget(): void {
    this.conversation.close()
    this.chats.forget()
    this.chatContext.forget()
    this.chatSpend.forget()
    this.projects.forget()
    this.providers.forget()
    this.roles.forget()
    this.timeline.forget()
    this.diagnostics.forget()
    this.sent.forget()
    this.egressRules.forget()
    this.ownRedactions.forget()
    this.holds.forget()
    this.desk.select(null)
  }

  async #catchUp(): Promise<void> {
    if (this.session.phase !== 'signed_in') return this.session.begin()
    await Promise.all([this.load(), this.conversation.retry()])
  }
}
