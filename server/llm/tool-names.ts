/** Names of tools as an endpoint takes them, and back again: some take fewer characters than a tool's name has. */
import { hash } from 'node:crypto'
import type { ModelPort } from '@bridlewise/engine'
import type { ModelCall, ModelEvent, ModelRequest } from '@bridlewise/shared/wire'

/**
 * A model that is offered names it takes.
 *
 * Contract: a name that fits is sent as it is. Another has the same short form in every request, told apart by a
 * digest, and what calls it is answered under the tool's own name. A name that was not offered comes back as it came.
 */
export function fitToolNames(model: ModelPort, limitOf: (request: ModelRequest) => number): ModelPort {
  return {
    ...model,
    stream(request, signal) {
      const limit = limitOf(request)
      const names = namesIn(request)
      if (names.every((name) => fits(name, limit))) return model.stream(request, signal)
      const long = new Map(names.map((name) => [shorten(name, limit), name]))
      return restore(model.stream(rename(request, limit), signal), long)
    },
  }
}

function namesIn({ tools, messages }: ModelRequest): readonly string[] {
  const called = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return [...new Set([...tools, ...called].map(({ name }) => name))]
}

function rename(request: ModelRequest, limit: number): ModelRequest {
  const short = <Named extends { readonly name: string }>(named: Named): Named => ({ ...named, name: shorten(named.name, limit) })
  return {
    ...request,
    tools: request.tools.map(short),
    messages: request.messages.map((message) =>
      message.role === 'assistant' ? { ...message, calls: message.calls.map(short<ModelCall>) } : message,
    ),
  }
}

async function* restore(events: AsyncIterable<ModelEvent>, long: ReadonlyMap<string, string>): AsyncGenerator<ModelEvent> {
  const nameOf = (name: string) => long.get(name) ?? name
  for await (const event of events) {
    if (event.type === 'call_start') yield { ...event, name: nameOf(event.name) }
    else if (event.type === 'call_end') yield { ...event, call: { ...event.call, name: nameOf(event.call.name) } }
    else yield event
  }
}

function fits(name: string, limit: number): boolean {
  return name.length <= limit && /^[A-Za-z0-9_-]+$/.test(name)
}

/** Its beginning and a digest of the whole, in the characters that everybody takes. */
function shorten(name: string, limit: number): string {
  if (fits(name, limit)) return name
  const digest = hash('sha256', name).slice(0, 8)
  const kept = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, Math.max(0, limit - digest.length - 1))
  return `${kept}_${digest}`.slice(-limit)
}
