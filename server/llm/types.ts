/** The words of the door: what a caller gives the bridge and what it gets. */
import type { Clock, Ids, ModelPort, OwnRule } from '@bridlewise/engine'
import type { Preset } from '@bridlewise/shared'
import type { Result } from '@bridlewise/shared/refusals'
import type { Egress, ModelRequest, ProbeBounds, ProbeQuestion, ProbeStep, Profile } from '@bridlewise/shared/wire'
import type { Dispatcher } from '../network/index.ts'

/** Where a model is asked. `apiKey` is null for endpoints that want none. */
export interface Endpoint {
  readonly kind: string
  /** Without a trailing slash, as `checkAddress` returns it; empty for the recorded demo. */
  readonly baseUrl: string
  readonly apiKey: string | null
  /** How its model was found to behave; what the documentation says when nobody tried. */
  readonly profile?: Profile
  /** Told when a fact of the profile proved wrong, before the request is made again: the fact, and the profile with it. */
  readonly onCorrected?: (learned: { readonly changed: Partial<Profile>; readonly profile: Profile }) => void
}

/** How long silence may last, in milliseconds, and how much may come. */
export interface ModelLimits {
  readonly connectMs: number
  /** From the connection to the first event of the answer. Comments are not events. */
  readonly firstMs: number
  /** Between two events. */
  readonly idleMs: number
  /** How long a silence lasts before a countdown is told. */
  readonly noticeMs: number
  /** Text, reasoning and arguments of one answer together, in UTF-16 units. */
  readonly answerLength: number
  /** The whole event stream, framing included. */
  readonly wireBytes: number
  /** One line of it. */
  readonly lineBytes: number
  /** Calls in one answer. */
  readonly calls: number
}

export interface BridgeParts {
  /** Who opens the connections, and knows what opens a proxy. */
  readonly dispatcher: Pick<Dispatcher, 'send' | 'secrets'>
  readonly clock: Clock
  readonly ids: Ids
  /** Named in the user agent; nothing else about this machine is. */
  readonly version: string
  /** Play recorded words for every provider. */
  readonly fixtures: boolean
  readonly limits?: Partial<ModelLimits>
  /** Told of each request that was not let go where it led. Contract: must not throw. */
  readonly onDenied: (egress: DeniedEgress) => void
  /** Milliseconds between two recorded words; 0 for none. */
  readonly fixturePaceMs?: number
}

/** A request that was stopped on its way, without where it led and what it held. */
export interface DeniedEgress {
  readonly reason: 'redirected' | 'address_refused' | 'certificate_refused'
  readonly method: string
  /** Below the base address: `/chat/completions`. */
  readonly path: string
}

export interface ProbeHooks {
  /** Contract: when it resolves the record is durable. */
  readonly onSend: (egress: Egress) => Promise<void>
  readonly onStep: (step: ProbeStep) => void
}

/** What every request of a run passes on its way out. Another room makes it, and keeps what it is told. */
export interface EgressDesk {
  /** What the person has replaced besides what looks like a secret. */
  readonly redactions: readonly OwnRule[]
  /**
   * Take out what must not leave, and say how many texts that were, by rule.
   *
   * Refuses: egress_withheld when it cannot be taken out; nothing may be sent then.
   */
  withhold(request: ModelRequest): Result<{ readonly request: ModelRequest; readonly counts: Readonly<Record<string, number>> }>
  /**
   * Whether a person wants to see it before it leaves; null when nobody does.
   *
   * Contract: the answer is for this body alone, and on record. A stop answers nothing: `signal` tells of it.
   * The answer refuses: egress_unanswered; nothing may be sent then.
   */
  hold(leaving: Leaving, signal: AbortSignal): { readonly until: number; readonly answer: Promise<Result<'send'>> } | null
  /** Contract: when it resolves the request is on record; nothing of it has left before. Rejects when it cannot be. */
  depart(leaving: Leaving): Promise<void>
}

/** A request that is about to leave: what it was written from, after redaction, and its body. */
export interface Leaving {
  readonly request: ModelRequest
  readonly body: string
  readonly egress: Egress
  /** How many values of each kind were replaced in each text of it that had any, by the text as it leaves. */
  readonly redactions: ReadonlyMap<string, Readonly<Record<string, number>>>
}

export interface Discovery {
  readonly found: readonly Found[]
  /** Every address that was asked, and what it answered. */
  readonly asked: readonly { readonly name: string; readonly baseUrl: string; readonly answer: string }[]
}

export interface Found {
  readonly kind: string
  readonly name: string
  readonly baseUrl: string
  readonly models: readonly string[]
}

export interface Bridge {
  /** Well-known endpoints, services first, then servers on this machine, then the recorded demo. */
  readonly presets: readonly Preset[]
  /**
   * Accept an address as typed and give it back in its one spelling.
   *
   * Refuses: provider_address_invalid.
   */
  checkAddress(baseUrl: string): Result<string>
  /** Whether an endpoint cannot work without a key. A server on this machine always can. */
  needsKey(endpoint: { readonly kind: string; readonly baseUrl: string }): boolean
  /**
   * The way to a model for one run.
   *
   * Contract: each run gets its own, for the placeholders of one run say nothing about another's.
   * `secrets` never leave, whatever they look like, and nothing leaves that `desk` has not seen. Making
   * it sends nothing. Its stream ends as `ModelPort` says, whatever the endpoint does.
   */
  modelFor(endpoint: Endpoint, secrets: readonly string[], desk: EgressDesk): ModelPort
  /**
   * Ask an endpoint for its models, in its own order.
   *
   * Refuses: provider_address_invalid and the `endpoint_*` family.
   */
  listModels(endpoint: Endpoint, signal: AbortSignal): Promise<Result<readonly string[]>>
  /** How a model is spoken to that nobody probed. */
  startingProfile(kind: string, modelId: string): Profile
  /** What a probe asks, and the most that it sends and asks for. */
  readonly probing: { readonly bounds: ProbeBounds; readonly questions: readonly ProbeQuestion[] }
  /**
   * Find out by small requests how a model is spoken to.
   *
   * Contract: nothing of a person is sent; what left is told to `onSend` before it leaves, and
   * waited for. Rejects with the reason of an aborted signal.
   * Refuses: the `endpoint_*` family.
   */
  probe(
    target: { readonly endpoint: Endpoint; readonly modelId: string },
    hooks: ProbeHooks,
    signal: AbortSignal,
  ): Promise<Result<Profile>>
  /** Ask the usual ports of this machine, all at once, each for at most a second. */
  discover(signal: AbortSignal): Promise<Discovery>
}
