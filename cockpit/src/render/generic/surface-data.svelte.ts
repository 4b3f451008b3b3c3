/** What a surface shows of a block: the replies of its queries, read once each and read again after a change. */
import type { ServedBlock, ServedOperation } from '@bridlewise/shared'
import type { Refusal, Result } from '@bridlewise/shared/refusals'
import { rowsAt, type ServedRow, valueAt } from './served-values.ts'

export type Call = (operation: ServedOperation, input: Readonly<Record<string, unknown>>) => Promise<Result<unknown>>

interface Read {
  /** Replies in the order of their pages. */
  readonly pages: readonly unknown[]
  readonly refusal: Refusal | null
}

export class SurfaceData {
  reads = $state.raw<Readonly<Record<string, Read>>>({})
  readonly #block: ServedBlock
  readonly #call: Call

  constructor(block: ServedBlock, call: Call) {
    this.#block = block
    this.#call = call
  }

  operation(name: string): ServedOperation | null {
    return this.#block.operations.find((operation) => operation.name === name) ?? null
  }

  /** Read, or read again, every query that something on the surface shows. What is shown stays until then. */
  async load(): Promise<void> {
    const { tables, signals, settings } = this.#block
    const names = [...tables, ...signals].map(({ operation }) => operation).concat(settings ? [settings.read] : [])
    await Promise.all([...new Set(names)].map((name) => this.#read(name, {})))
  }

  async loadMore(name: string): Promise<void> {
    const after = this.next(name)
    if (after !== null) await this.#read(name, { after })
  }

  refusal(name: string): Refusal | null {
    return this.reads[name]?.refusal ?? null
  }

  /** Null until the first reply. */
  value(name: string, path: string): unknown {
    const first = this.reads[name]?.pages[0]
    return first === undefined ? null : valueAt(first, path)
  }

  /** Null until the first reply. */
  rows(name: string, path: string): readonly ServedRow[] | null {
    const pages = this.reads[name]?.pages
    return pages && pages.length > 0 ? pages.flatMap((page) => rowsAt(page, path)) : null
  }

  /** The mark of the next page; null on the last. */
  next(name: string): string | null {
    const next = valueAt(this.reads[name]?.pages.at(-1), 'next')
    return typeof next === 'string' ? next : null
  }

  async #read(name: string, input: Readonly<Record<string, unknown>>): Promise<void> {
    const operation = this.operation(name)
    if (!operation) return
    const reply = await this.#call(operation, input)
    const before = 'after' in input ? (this.reads[name]?.pages ?? []) : []
    const kept = this.reads[name]?.pages ?? []
    const read = reply.ok ? { pages: [...before, reply.value], refusal: null } : { pages: kept, refusal: reply.refusal }
    this.reads = { ...this.reads, [name]: read }
  }
}
