/** The bytes of an answer: handed on as they arrive, bounded, and let go of in the right way. */
import type { IncomingMessage } from 'node:http'
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import { EndpointFailure, nonsense } from './failures.ts'
import type { ModelLimits } from './types.ts'
import type { Watch } from './watch.ts'

/** How long the end of a connection is waited for once the answer is complete. */
const drainMs = 1_000

/** Takes bytes and says whether more are wanted. May throw an `EndpointFailure`, which ends the reading. */
export type TakeBytes = (bytes: Buffer) => 'more' | 'enough'

/** Where an answer comes from, and how much of it there may be. */
export interface Incoming {
  readonly message: IncomingMessage
  readonly limits: Pick<ModelLimits, 'wireBytes' | 'lineBytes'>
}

/**
 * Hand the body on, as long as it stays within what an answer can need.
 *
 * Contract: bytes are handed on in the turn of the event loop in which they arrive, however busy
 * their reader is, and those before a break before the break is told. Resolves when the body is
 * over, when no more is wanted, or when the watch has ended it. What goes wrong rejects with an
 * `EndpointFailure` that the watch holds too.
 */
export function readBounded({ message, limits }: Incoming, watch: Watch, take: TakeBytes): Promise<void> {
  let total = 0
  let line = 0
  return new Promise((resolve, reject) => {
    const leave = (failure: unknown) => {
      message.removeListener('data', accept)
      letGo(message, watch)
      if (failure === null) resolve()
      else reject(failure)
    }
    const accept = (chunk: Buffer) => {
      total += chunk.length
      const newline = Math.max(chunk.lastIndexOf(10), chunk.lastIndexOf(13))
      line = newline < 0 ? line + chunk.length : chunk.length - 1 - newline
      if (total > limits.wireBytes) return leave(failed(watch, makeRefusal('answer_too_large', { limit: limits.wireBytes })))
      if (line > limits.lineBytes) return leave(failed(watch, nonsense(`a line is longer than ${limits.lineBytes} bytes`)))
      try {
        if (take(chunk) === 'enough') leave(null)
      } catch (thrown) {
        leave(thrown instanceof EndpointFailure ? failed(watch, thrown.refusal) : thrown)
      }
    }
    message.on('data', accept)
    message.on('error', () => undefined)
    message.on('close', () => {
      const whole = message.complete || watch.signal.aborted
      leave(whole ? null : failed(watch, makeRefusal('endpoint_broke_off')))
    })
  })
}

/** After a whole answer the connection is kept for the next request; otherwise it is closed. */
function letGo(message: IncomingMessage, watch: Watch): void {
  if (message.destroyed) return
  if (!watch.finished || watch.signal.aborted) return void message.destroy()
  const timer = setTimeout(() => message.destroy(), drainMs)
  message.once('close', () => clearTimeout(timer))
  message.resume()
}

/** The first problem is the one that is told: a broken pipe after a stall is still a stall. */
export function failed(watch: Watch, refusal: Refusal, cause?: unknown): EndpointFailure {
  watch.fail(refusal)
  return new EndpointFailure(watch.problem ?? refusal, cause)
}
