/**
 * Requests that wait until a person has looked at them.
 *
 * They live in memory, as the request itself does: with the process they are gone, and nothing was sent.
 */
import type { Clock, Ids } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { HeldRequest } from '@bridlewise/shared/wire'
import type { Leaving } from '../llm/bridge.ts'
import type { DepartureScope, Owner } from '../storage/index.ts'

export interface Held {
  readonly scope: DepartureScope
  readonly request: HeldRequest
  readonly leaving: Leaving
}

/** A hold that somebody has answered: nobody else can any more. */
export interface Taken extends Held {
  /** Let the request go. Contract: called once what was answered is on record. */
  release(): void
  /** Keep it here: the answer could not be recorded. */
  fail(cause: unknown): void
}

export interface HoldCall {
  readonly scope: DepartureScope
  readonly leaving: Leaving
  /** Records that nobody answered in time. */
  readonly unanswered: (held: Held) => Promise<void>
}

export interface Holding {
  readonly until: number
  readonly answer: Promise<Result<'send'>>
}

export interface HoldPlace extends Owner {
  readonly runId: string
  readonly holdId: string
}

export interface Holds {
  /** Contract: it answers once: sent, given up after `holdMs`, or stopped with `signal`, which refuses as well. */
  hold(call: HoldCall, signal: AbortSignal): Holding
  /** Those of a run, the first held first. */
  list(owner: Owner, runId: string): readonly Held[]
  /**
   * Answer one: of all who try, exactly one gets it.
   *
   * Refuses: hold_over, also when `digest` is of another body than the one that waits.
   */
  take(place: HoldPlace, digest: string): Result<Taken>
}

export function createHolds({
  clock,
  ids,
  holdMs,
}: {
  readonly clock: Clock
  readonly ids: Ids
  readonly holdMs: number
}): Holds {
  const waiting = new Map<string, { readonly held: Held; take(): Taken }>()

  const find = ({ userId, runId, holdId }: HoldPlace) => {
    const entry = waiting.get(holdId)
    return entry?.held.scope.userId === userId && entry.held.scope.runId === runId ? entry : undefined
  }

  return {
    hold({ scope, leaving, unanswered }, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Result<'send'>>()
      const at = clock.now()
      const { runId, chatId } = scope
      const { step, purpose = 'answer' } = leaving.request
      const id = ids.next('hold')
      const held: Held = {
        scope,
        leaving,
        request: { id, runId, chatId, step, at, until: at + holdMs, purpose, egress: leaving.egress },
      }
      const giveUp = () => refuse('egress_unanswered', { minutes: Math.round(holdMs / 60_000) })
      const close = () => {
        waiting.delete(id)
        clearTimeout(timer)
        signal.removeEventListener('abort', stopped)
      }
      const stopped = () => {
        close()
        resolve(giveUp())
      }
      const timer = setTimeout(() => {
        close()
        unanswered(held).then(() => resolve(giveUp()), reject)
      }, holdMs).unref()
      waiting.set(id, {
        held,
        take() {
          close()
          return { ...held, release: () => resolve(ok('send')), fail: reject }
        },
      })
      signal.addEventListener('abort', stopped, { once: true })
      if (signal.aborted) stopped()
      return { until: held.request.until, answer: promise }
    },
    list: ({ userId }, runId) =>
      [...waiting.values()].map(({ held }) => held).filter(({ scope }) => scope.userId === userId && scope.runId === runId),
    take(place, digest) {
      const entry = find(place)
      return entry && entry.held.leaving.egress.digest === digest ? ok(entry.take()) : refuse('hold_over')
    },
  }
}
