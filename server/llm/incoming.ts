/** The bytes of an answer: given out as they arrive, bounded, and let go of in the right way. */
import type { IncomingMessage } from 'node:http'
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { EndpointFailure, nonsense } from './failures.ts'
import type { ModelLimits } from './types.ts'
import type { Watch } from './watch.ts'

/** How long the end of a connection is waited for once the answer is complete. */
const drainMs = 1_000
/** Enough to hold the closing event and what a split may leave before it. */
const tailBytes = 32
/** Chunks that may wait to be read before the endpoint is asked to wait. */
const aheadChunks = 16

/**
 * The body, as long as it stays within what an answer can need.
 *
 * Contract: what goes wrong is thrown as an `EndpointFailure` and held by the watch.
 */
export async function* readBounded(
  incoming: IncomingMessage,
  watch: Watch,
  limits: Pick<ModelLimits, 'wireBytes' | 'lineBytes'>,
): AsyncGenerator<Uint8Array> {
  let total = 0
  let line = 0
  let tail = ''
  for await (const chunk of arriving(incoming, watch)) {
    total += chunk.length
    const newline = Math.max(chunk.lastIndexOf(10), chunk.lastIndexOf(13))
    line = newline < 0 ? line + chunk.length : chunk.length - 1 - newline
    if (total > limits.wireBytes) throw failed(watch, makeRefusal('answer_too_large', { limit: limits.wireBytes }))
    if (line > limits.lineBytes) throw failed(watch, nonsense(`a line is longer than ${limits.lineBytes} bytes`))
    // Some vendors give no reason for stopping and only say that they have.
    tail = (tail + chunk.subarray(-tailBytes).toString('latin1')).slice(-2 * tailBytes)
    if (/(^|[\r\n])data: ?\[DONE\]/.test(tail)) watch.finishing()
    yield chunk
  }
}

/** Chunks as they arrive. Unlike the stream's own iterator it gives out what came before a break before it tells of it. */
async function* arriving(incoming: IncomingMessage, watch: Watch): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = []
  let over = false
  let changed = Promise.withResolvers<void>()
  const wake = () => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  incoming.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (chunks.length >= aheadChunks) incoming.pause()
    wake()
  })
  incoming.on('error', () => undefined)
  incoming.on('close', () => {
    over = true
    wake()
  })
  try {
    while (!watch.signal.aborted) {
      const chunk = chunks.shift()
      if (chunk) {
        yield chunk
        if (chunks.length === 0) incoming.resume()
      } else if (over) break
      else await changed.promise
    }
    if (!incoming.complete && !watch.signal.aborted) throw failed(watch, makeRefusal('endpoint_broke_off'))
  } finally {
    letGo(incoming, watch)
  }
}

/** After a whole answer the connection is kept for the next request; otherwise it is closed. */
function letGo(incoming: IncomingMessage, watch: Watch): void {
  if (!watch.finished || watch.signal.aborted) return void incoming.destroy()
  const timer = setTimeout(() => incoming.destroy(), drainMs)
  incoming.once('close', () => clearTimeout(timer))
  incoming.removeAllListeners('data').resume()
}

/** The first problem is the one that is told: a broken pipe after a stall is still a stall. */
export function failed(watch: Watch, refusal: Refusal, cause?: unknown): EndpointFailure {
  watch.fail(refusal)
  return new EndpointFailure(watch.problem ?? refusal, cause)
}
