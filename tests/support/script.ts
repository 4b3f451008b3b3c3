/**
 * The words a scripted model endpoint speaks, as data.
 *
 * A script is a list of steps, one for each `POST …/chat/completions` in the order they arrive. A step may
 * state what it expects of the request, and says what is answered: an event stream made of parts, or
 * any other HTTP answer. A vendor's quirk is a new part, or a field of `Dialect`; no test needs a
 * server of its own.
 */

/** One request as the endpoint received it. */
export interface Received {
  readonly method: string
  readonly path: string
  /** Tells connections apart. */
  readonly clientPort: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body exactly as it arrived. */
  readonly raw: Buffer
  /** The body as JSON, or null when it is none. */
  readonly body: ChatBody | null
}

/** The parts of a chat completion request that scripts look at. */
export interface ChatBody {
  readonly model?: string
  readonly stream?: boolean
  readonly messages?: readonly ChatMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: unknown } }[]
  readonly [field: string]: unknown
}

interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

/** What a step wants to see; what does not hold is listed in `endpoint.problems` and answered with 400. */
export interface Expectation {
  /** Text that the last message holds. */
  readonly lastHolds?: string
  readonly lastRole?: string
  /** Text that stands somewhere in the body. */
  readonly bodyHolds?: string
  /** Text that must stand nowhere in the body: a planted secret. */
  readonly bodyLacks?: string
  /** Names of tools that must be offered. */
  readonly offers?: readonly string[]
  /** Anything else: a sentence about what is wrong, or null. */
  readonly check?: (request: Received) => string | null
}

export interface CallScript {
  /** Made from name and index unless given; `null` leaves it out. */
  readonly id?: string | null
  readonly name: string
  /** Anything but text is sent as JSON. */
  readonly arguments: unknown
  /** `null` leaves `index` out, as some vendors do. */
  readonly index?: number | null
  /** Cut the arguments into pieces of so many characters, one chunk each. */
  readonly pieceLength?: number
}

interface UsageScript {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly [field: string]: unknown
}

/** One thing that happens in an event stream, in order. */
export type Part =
  | { readonly type: 'text'; readonly pieces: readonly string[] }
  | { readonly type: 'reasoning'; readonly pieces: readonly string[]; readonly field: string }
  | { readonly type: 'call'; readonly call: CallScript }
  /** A `delta` as given, for fragments that no vendor should send. */
  | { readonly type: 'delta'; readonly delta: unknown }
  | { readonly type: 'usage'; readonly usage: UsageScript; readonly choices: 'empty' | 'absent' }
  | { readonly type: 'finish'; readonly reason: string | null }
  /** Any JSON value as one event: an in-band error, a chunk with extra fields. */
  | { readonly type: 'event'; readonly data: unknown }
  /** Bytes as they are. */
  | { readonly type: 'raw'; readonly text: string | Uint8Array }
  | { readonly type: 'comment'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  /** Go on when the test says so. */
  | { readonly type: 'until'; readonly ready: Promise<unknown> }
  /** Send nothing more and keep the connection open. */
  | { readonly type: 'stall' }
  /** Destroy the socket. */
  | { readonly type: 'break' }

/** How the lines of a stream are written. */
export interface Dialect {
  readonly newline: '\n' | '\r\n' | '\r'
  readonly prefix: 'data: ' | 'data:'
  /** Whether `[DONE]` closes the stream. */
  readonly done: boolean
  /** Cut the stream into writes of so many bytes, or inside each character of several bytes and nowhere else. */
  readonly splitEvery: number | 'characters' | null
}

export type Answer =
  | { readonly kind: 'stream'; readonly parts: readonly Part[]; readonly dialect: Dialect }
  | {
      readonly kind: 'http'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string | Uint8Array
    }
  /** Accept the request and never answer. */
  | { readonly kind: 'silence' }
  /** Destroy the socket before any answer. */
  | { readonly kind: 'hangup' }

export interface Step {
  readonly expect?: Expectation
  readonly answer: Answer
}

export interface Script {
  /** What `GET …/models` lists, or the whole answer. */
  readonly models?: readonly string[] | Answer
  /** In order; or chosen for the n-th request, from 0, when a list is too rigid. */
  readonly steps: readonly Step[] | ((request: Received, count: number) => Step)
}

const plain: Dialect = { newline: '\n', prefix: 'data: ', done: true, splitEvery: null }

/** A step that streams these parts. */
export function streams(
  parts: readonly Part[],
  more: { readonly expect?: Expectation; readonly dialect?: Partial<Dialect> } = {},
): Step {
  const answer: Answer = { kind: 'stream', parts, dialect: { ...plain, ...more.dialect } }
  return more.expect ? { expect: more.expect, answer } : { answer }
}

/** A step that answers with a status and a body; an object is sent as JSON. */
export function answers(status: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}): Step {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const type = raw ? 'text/plain' : 'application/json'
  return {
    answer: { kind: 'http', status, headers: { 'content-type': type, ...headers }, body: raw ? body : JSON.stringify(body) },
  }
}

export function redirects(location: string, status = 307): Step {
  return answers(status, '', { location })
}

export const silence: Step = { answer: { kind: 'silence' } }
export const hangup: Step = { answer: { kind: 'hangup' } }

/** Text, one chunk for each piece. */
export function says(...pieces: string[]): Part {
  return { type: 'text', pieces }
}

export function thinks(pieces: readonly string[], field = 'reasoning_content'): Part {
  return { type: 'reasoning', pieces, field }
}

export function calls(name: string, input: unknown, more: Partial<CallScript> = {}): Part {
  return { type: 'call', call: { name, arguments: input, ...more } }
}

export function uses(inputTokens: number, outputTokens: number): Part {
  return { type: 'usage', usage: { prompt_tokens: inputTokens, completion_tokens: outputTokens }, choices: 'empty' }
}

export function finishes(reason: string | null): Part {
  return { type: 'finish', reason }
}

/** A whole answer in words: text, usage, and the end. */
export function answersWith(...pieces: string[]): Step {
  return streams([says(...pieces), finishes('stop'), uses(100, pieces.length)])
}

/** A whole answer that calls one tool. */
export function callsTool(name: string, input: unknown, more: Partial<CallScript> = {}): Step {
  return streams([calls(name, input, more), finishes('tool_calls'), uses(100, 20)])
}

/**
 * Steps for conversations that go on at once: each is told apart by its first words, and has steps of its own.
 * One that has none left, or is not known, hears that it was not expected.
 */
export function byConversation(scripts: Readonly<Record<string, readonly Step[]>>): (request: Received) => Step {
  const counts = new Map<string, number>()
  return ({ body }) => {
    const words = String(body?.messages?.find(({ role }) => role === 'user')?.content ?? '')
    const at = counts.get(words) ?? 0
    counts.set(words, at + 1)
    return scripts[words]?.[at] ?? answers(400, `nothing is written for: ${words}`)
  }
}

/** An answer that gives tasks. */
export function delegates(...tasks: readonly { readonly task: string; readonly [field: string]: unknown }[]): Step {
  return streams([...tasks.map((task, index) => calls('delegate', task, { index })), finishes('tool_calls'), uses(100, 20)])
}
