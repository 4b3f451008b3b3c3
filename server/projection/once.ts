/** A repeated call with the same `Idempotency-Key` gets the first answer, and the work is done once. */
import { createHash } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Idempotency, Owner } from '../storage/index.ts'

export interface KeyedCall {
  readonly owner: Owner
  /** `run.start`: keys of different operations do not meet. */
  readonly operation: string
  readonly key: string
  /** The input after parsing, so that two spellings of one request are one. */
  readonly input: unknown
  /** `key` keeps the answer, sealed; `once` keeps on disk only that there was one. */
  readonly keep: 'key' | 'once'
}

/** How long an answer that is not written down can be asked for again: long enough for a lost line. Milliseconds. */
const shownMs = 60_000

/**
 * Contract: of calls with one key and one input, also simultaneous ones, exactly one executes and
 * all get its answer. A refusal or a fault frees the key again: it changed nothing. An answer that
 * could not be stored is lost, and the next call with its key executes anew.
 */
export class OncePerKey {
  readonly #store: Idempotency
  readonly #now: () => number
  readonly #underWay = new Map<string, Asked>()
  readonly #shown = new Map<string, Asked & { readonly at: number }>()

  constructor(store: Idempotency, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Refuses: idempotency_key_reused, answer_shown_once, and whatever `execute` refuses. */
  async run(call: KeyedCall, execute: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    const digest = createHash('sha256').update(JSON.stringify(call.input)).digest('hex')
    const place = `${call.owner.userId} ${call.operation} ${call.key}`
    const underWay = this.#underWay.get(place) ?? this.#lately(place)
    if (underWay) return underWay.digest === digest ? underWay.answer : refuse('idempotency_key_reused')

    const name = { operation: call.operation, key: call.key }
    const state = this.#store.begin(call.owner, name, { digest, at: this.#now() })
    if (state.kind === 'answered') return state.reply === '' ? refuse('answer_shown_once') : ok(JSON.parse(state.reply))
    if (state.kind === 'reused') return refuse('idempotency_key_reused')

    const answer = this.#execute(call, execute).finally(() => this.#underWay.delete(place))
    this.#underWay.set(place, { digest, answer })
    const result = await answer
    if (result.ok && call.keep === 'once') this.#shown.set(place, { digest, answer, at: this.#now() })
    return result
  }

  /** A secret that was shown a moment ago; older ones are forgotten here. A clock that went back forgets them too. */
  #lately(place: string): Asked | undefined {
    const now = this.#now()
    for (const [name, { at }] of this.#shown) if (now - at > shownMs || now < at) this.#shown.delete(name)
    return this.#shown.get(place)
  }

  async #execute(call: KeyedCall, execute: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    const name = { operation: call.operation, key: call.key }
    let result: Result<unknown>
    try {
      result = await execute()
    } catch (cause) {
      this.#store.release(call.owner, name)
      throw cause
    }
    if (result.ok) this.#store.finish(call.owner, name, call.keep === 'key' ? JSON.stringify(result.value) : '')
    else this.#store.release(call.owner, name)
    return result
  }
}

interface Asked {
  readonly digest: string
  readonly answer: Promise<Result<unknown>>
}
