/** What the engine needs from outside. It opens no socket, no database and no process itself. */
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import type { Beat, BeatDraft, BeatKind, BeatOf, IdNoun, ModelEvent, ModelRequest, Receipt } from '@bridlewise/shared/wire'

/**
 * The way to a model.
 *
 * Contract: the stream never rejects and ends with exactly one terminal event. It must stop reading
 * soon after `signal` aborts. It must not retry once an event other than `sent` was yielded.
 */
export interface ModelPort {
  /** True when the words are recorded ones; the run says so everywhere. */
  readonly fixture: boolean
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
}

export interface ProcessSpec {
  /** Program and arguments; never a shell line unless the first element is a shell. */
  readonly argv: readonly string[]
  /** Absolute, inside `root`. */
  readonly cwd: string
  /** Absolute path of the project: all that the process may see of the user's files. */
  readonly root: string
  /** `read` gives a ruleset under which nothing can be written but the private temp directory. */
  readonly access: 'write' | 'read'
  /** Absolute, in `root`: what may be written, with what lies below; all of `root` unless given. What is not there is not opened. */
  readonly writable?: readonly string[]
  readonly deadlineMs: number
  /** Bytes kept in memory; the rest is counted and dropped from the middle. */
  readonly outputLimit: number
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void
}

/** How a process ended. Only `exited` says what it did; the others leave its effects unknown. */
export type ProcessOutcome =
  | (ProcessOutput & { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: string | null })
  | (ProcessOutput & { readonly kind: 'cancelled' })
  | (ProcessOutput & { readonly kind: 'timed_out' })
  | { readonly kind: 'not_started'; readonly refusal: Refusal }

export interface ProcessOutput {
  /** Both streams in the order they arrived, decoded as UTF-8. */
  readonly output: string
  /** Standard output alone, for tools that parse it. */
  readonly stdout: string
  readonly bytes: number
  /** What was left out, or null. */
  readonly cut: string | null
  readonly ms: number
  readonly receipt: Receipt
}

/**
 * The one way to start a process.
 *
 * Contract: it is confined, or it does not start. When the promise settles, no process of it is
 * alive. It never rejects for what the process or the kernel did.
 */
export interface ProcessPort {
  run(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome>
}

/**
 * The ledger of the run at hand.
 *
 * Contract: when the promise resolves the beat is durable, and its `seq` is after every beat this
 * port has resolved before. Callers write an effect's `call` beat before the effect.
 */
export interface LedgerPort {
  append(draft: BeatDraft): Promise<Beat>
  /**
   * Several at once: each gets its place from `write`, so that the next can follow from it.
   *
   * Contract: all of them or none, and durable when it resolves. `work` only writes: it may be called again
   * when what was to be stored with it failed.
   */
  appendTogether<T>(work: (write: WriteBeat) => T): Promise<T>
}

export type WriteBeat = <K extends BeatKind>(draft: Extract<BeatDraft, { kind: K }>) => BeatOf<K>

/** Where large results go. Contract: what `put` returned a `ref` for can be read by it later. */
export interface BlobPort {
  put(text: string): Promise<{ readonly ref: string; readonly bytes: number }>
}

/** A content of a file, by its digest. */
export interface FileVersion {
  /** SHA-256 of `bytes`, in hex. */
  readonly digest: string
  readonly bytes: Uint8Array
}

/**
 * Where the contents of changed files go, so that a rewind can bring them back.
 *
 * Contract: what `keep` answered with `new` or `known` is durable, and stays at least while the run is
 * active. `not_kept` means that it is over a bound: the change goes on, and a rewind will say so.
 */
export interface VersionsPort {
  keep(version: FileVersion): Promise<'new' | 'known' | 'not_kept'>
  /** Let go of what this run kept as new and nothing needs any more. */
  drop(digest: string): Promise<void>
  /**
   * Note a change of several files before the first of them changes.
   *
   * Contract: when it resolves the note is durable, until `done`. A process that dies in between finds it at
   * its next start, with the hidden files whose names begin with `tag`, and takes the change back.
   */
  begin(files: readonly FileChange[]): Promise<BegunChange>
}

/** A file of a change: digests of what stands there and of what will, null for no file, and permission bits as they are. */
export interface FileChange {
  readonly path: string
  readonly was: string | null
  readonly becomes: string | null
  readonly mode: number | null
}

export interface BegunChange {
  /** Letters, digits and dashes. */
  readonly tag: string
  /** All of it is done, or none of it is left. */
  done(): Promise<void>
}

/** For runs of which nothing is kept. */
export const nothingKept: VersionsPort = {
  keep: async () => 'not_kept',
  drop: async () => undefined,
  begin: async () => ({ tag: '', done: async () => undefined }),
}

export interface ApprovalRequest {
  readonly tool: string
  /** What will be done, resolved: the command and its directory, the path and its change. */
  readonly effect: string
  /** SHA-256 of the resolved effect; an answer counts for this digest alone. */
  readonly digest: string
  readonly reason: string
}

/** Ask the person. Contract: no surface to ask on, no answer, or a broken one means denied. */
export interface ApprovalsPort {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<Result<'allowed'>>
}

export interface Clock {
  /** Milliseconds since 1970, for the record. */
  now(): number
  /** Milliseconds that only go forward, for durations. */
  elapsed(): number
}

export interface Ids {
  next(noun: IdNoun): string
}

export interface Ports {
  readonly model: ModelPort
  readonly process: ProcessPort
  readonly ledger: LedgerPort
  readonly blobs: BlobPort
  readonly versions: VersionsPort
  readonly approvals: ApprovalsPort
  readonly clock: Clock
  readonly ids: Ids
}
