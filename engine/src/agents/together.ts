/** Several generators driven at once: what they yield comes in the order in which it is there. */

interface Arrived<E, T> {
  readonly place: number
  readonly generator: AsyncGenerator<E, T>
  readonly next: IteratorResult<E, T> | { readonly fault: unknown }
}

export class Together<E, T> {
  /** What each came to, by its place. */
  readonly results: Map<number, T> = new Map()
  readonly #running = new Set<AsyncGenerator<E, T>>()
  readonly #arrived: Arrived<E, T>[] = []
  #wake: () => void = () => {}

  start(place: number, generator: AsyncGenerator<E, T>): void {
    this.#running.add(generator)
    this.#ask(place, generator)
  }

  /** Yield until `ready` holds or nothing runs any more. Throws what one of them threw. */
  async *until(ready: () => boolean): AsyncGenerator<E, void> {
    while (!ready() && this.#running.size > 0) {
      const arrived = this.#arrived.shift()
      if (!arrived) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
          if (this.#arrived.length > 0) resolve()
        })
        continue
      }
      const { place, generator, next } = arrived
      if ('fault' in next) {
        this.#running.delete(generator)
        throw next.fault
      }
      if (next.done) {
        this.#running.delete(generator)
        this.results.set(place, next.value)
        continue
      }
      this.#ask(place, generator)
      yield next.value
    }
  }

  /** Leave what still runs. Contract: settles when all have ended; whoever calls it has told them to stop. */
  async leave(): Promise<void> {
    await Promise.allSettled([...this.#running].map((generator) => generator.return(undefined as never)))
    this.#running.clear()
  }

  #ask(place: number, generator: AsyncGenerator<E, T>): void {
    const arrive = (next: Arrived<E, T>['next']) => {
      this.#arrived.push({ place, generator, next })
      this.#wake()
    }
    generator.next().then(arrive, (fault: unknown) => arrive({ fault }))
  }
}
