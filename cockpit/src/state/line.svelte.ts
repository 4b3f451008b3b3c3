/** Whether the server answers. An idle page looks now and then, a lost line is asked for again until it is back; nobody has to reload. */
export interface LinePorts {
  /** Ask the server something that costs it nothing. What comes of it arrives through `note`. */
  readonly ask: () => Promise<unknown>
  readonly wait: (ms: number) => Promise<void>
  readonly now: () => number
  /** What was missed must be read again. */
  readonly onBack: () => void
}

const askEveryMs = 2000
/** A page that nobody uses hears of a server that went away, or came back locked, within so long. */
const lookEveryMs = 10_000

export class LineState {
  reachable = $state(true)
  /** When the line was lost, in milliseconds since 1970. */
  lostAt = $state<number | null>(null)
  readonly #ports: LinePorts

  constructor(ports: LinePorts) {
    this.#ports = ports
  }

  /** Contract: looks for as long as the page lives, and only while somebody could see what comes of it. */
  async keepLooking(isSeen: () => boolean): Promise<never> {
    for (;;) {
      await this.#ports.wait(lookEveryMs)
      if (isSeen()) await this.look()
    }
  }

  /** Ask once; a lost line is being asked for already. */
  async look(): Promise<void> {
    if (this.reachable) await this.#ports.ask()
  }

  note(reachable: boolean): void {
    if (this.reachable === reachable) return
    this.reachable = reachable
    this.lostAt = reachable ? null : this.#ports.now()
    if (reachable) this.#ports.onBack()
    else void this.#askUntilBack()
  }

  async #askUntilBack(): Promise<void> {
    while (!this.reachable) {
      await this.#ports.wait(askEveryMs)
      if (!this.reachable) await this.#ports.ask()
    }
  }
}
