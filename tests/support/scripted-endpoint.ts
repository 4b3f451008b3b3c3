/**
 * A model endpoint that speaks the OpenAI-compatible protocol from a script: a real HTTP server on a
 * free loopback port, with real event streams. It records every request it received.
 *
 *     await using endpoint = await startScriptedEndpoint({ steps: [callsTool('read_file', { path: 'a.ts' }), answersWith('Done.')] })
 *     endpoint.baseUrl    // http://127.0.0.1:<port>/v1
 *     endpoint.received   // what arrived at chat/completions
 *     endpoint.problems   // expectations that did not hold; empty in a good test
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, ChatBody, Dialect, Expectation, Received, Script, Step } from './script.ts'
import { doneBytes, partBytes, splitBytes } from './script-bytes.ts'

export interface ScriptedEndpoint extends AsyncDisposable {
  readonly baseUrl: string
  readonly port: number
  /** Requests to chat/completions, in order. */
  readonly received: readonly Received[]
  /** Every request, also to other paths. */
  readonly all: readonly Received[]
  readonly problems: readonly string[]
  /** Settles when the n-th chat request has arrived, counted from 1. */
  arrived(count: number): Promise<Received>
  /** Settles when the n-th chat request's connection was closed by the caller before the answer was complete. */
  left(count: number): Promise<void>
  close(): Promise<void>
}

export interface EndpointOptions {
  /** A free one unless given. */
  readonly port?: number
}

/** Start an endpoint. Contract: once the promise settles it accepts connections; `close` ends open ones too. */
export async function startScriptedEndpoint(script: Script, options: EndpointOptions = {}): Promise<ScriptedEndpoint> {
  const all: Received[] = []
  const received: Received[] = []
  const problems: string[] = []
  const arrivals = new Milestones<Received>()
  const departures = new Milestones<void>()
  const closing = new AbortController()

  const server = createServer((request, response) => {
    void serve(request, response).catch((cause: unknown) => {
      if (!response.destroyed) problems.push(`the endpoint itself broke: ${String(cause)}`)
      response.destroy()
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await readRequest(request)
    all.push(seen)
    const path = seen.path.split('?')[0] ?? ''
    if (seen.method === 'GET' && path.endsWith('/models')) return await send(modelsAnswer(script), response, closing.signal)
    if (seen.method !== 'POST' || !path.endsWith('/chat/completions')) {
      return await send(errorAnswer(404, `no such path ${seen.path}`), response, closing.signal)
    }
    const count = received.push(seen)
    response.once('close', () => {
      if (!response.writableFinished) departures.reach(count, undefined)
    })
    arrivals.reach(count, seen)
    const step = pickStep(script, seen, count - 1)
    const problem = step ? checkRequest(step.expect, seen) : `request ${count} was not expected`
    if (problem) problems.push(`request ${count}: ${problem}`)
    await send(problem || !step ? errorAnswer(400, problem ?? '') : step.answer, response, closing.signal)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = async () => {
    closing.abort()
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    received,
    all,
    problems,
    arrived: (count) => arrivals.reached(count),
    left: (count) => departures.reached(count),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Promises for numbered things that happen once each. */
class Milestones<T> {
  readonly #entries = new Map<number, PromiseWithResolvers<T>>()

  reach(number: number, value: T): void {
    this.#entry(number).resolve(value)
  }

  reached(number: number): Promise<T> {
    return this.#entry(number).promise
  }

  #entry(number: number): PromiseWithResolvers<T> {
    const entry = this.#entries.get(number) ?? Promise.withResolvers<T>()
    this.#entries.set(number, entry)
    return entry
  }
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks)
  let body: ChatBody | null = null
  try {
    body = JSON.parse(raw.toString()) as ChatBody
  } catch {
    // Not JSON: `raw` tells what it was.
  }
  const { method = '', url: path = '', headers, socket } = request
  return { method, path, clientPort: socket.remotePort ?? 0, headers, raw, body }
}

function pickStep(script: Script, request: Received, count: number): Step | undefined {
  return typeof script.steps === 'function' ? script.steps(request, count) : script.steps[count]
}

function checkRequest(expect: Expectation | undefined, request: Received): string | null {
  if (!expect) return null
  const text = request.raw.toString()
  const last = request.body?.messages?.at(-1)
  const lastText = JSON.stringify(last?.content ?? '')
  const offered = request.body?.tools?.map((tool) => tool.function.name) ?? []
  if (expect.lastRole && last?.role !== expect.lastRole) return `the last message is of ${last?.role}, not ${expect.lastRole}`
  if (expect.lastHolds && !lastText.includes(inJson(expect.lastHolds)))
    return `the last message lacks "${expect.lastHolds}": ${lastText}`
  if (expect.bodyHolds && !text.includes(inJson(expect.bodyHolds))) return `the body lacks "${expect.bodyHolds}"`
  if (expect.bodyLacks && text.includes(inJson(expect.bodyLacks))) return 'the body holds what must not leave'
  for (const name of expect.offers ?? []) if (!offered.includes(name)) return `the tool ${name} is not offered`
  return expect.check?.(request) ?? null
}

/** Text as it stands inside a JSON string. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function modelsAnswer(script: Script): Answer {
  const models = script.models ?? ['scripted']
  if (!isList(models)) return models
  const body = JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
  return { kind: 'http', status: 200, headers: { 'content-type': 'application/json' }, body }
}

function isList(models: readonly string[] | Answer): models is readonly string[] {
  return Array.isArray(models)
}

function errorAnswer(status: number, message: string): Answer {
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error' } })
  return { kind: 'http', status, headers: { 'content-type': 'application/json' }, body }
}

async function send(answer: Answer, response: ServerResponse, closing: AbortSignal): Promise<void> {
  switch (answer.kind) {
    case 'silence':
      return
    case 'hangup':
      response.destroy()
      return
    case 'http':
      response.writeHead(answer.status, answer.headers).end(answer.body)
      return
    case 'stream':
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.socket?.setNoDelay(true)
      for (const part of answer.parts) {
        if (response.destroyed || closing.aborted) return
        if (part.type === 'stall') return
        if (part.type === 'break') return void response.destroy()
        if (part.type === 'wait') await sleep(part.ms, undefined, { signal: closing })
        else if (part.type === 'until') await part.ready
        else await writeAll(response, partBytes(part, answer.dialect), answer.dialect)
      }
      if (answer.dialect.done) await writeAll(response, doneBytes(answer.dialect), answer.dialect)
      response.end()
  }
}

/** Write, and go on when the system has taken it: what a script sends before it breaks off has been sent. */
async function writeAll(response: ServerResponse, bytes: Uint8Array, dialect: Dialect): Promise<void> {
  for (const piece of splitBytes(bytes, dialect.splitEvery)) {
    if (response.destroyed) return
    await new Promise<void>((resolve) => {
      response.once('close', resolve)
      response.write(piece, () => {
        response.off('close', resolve)
        resolve()
      })
    })
  }
}
