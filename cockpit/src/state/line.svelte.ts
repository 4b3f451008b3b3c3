/** Whether the server answers. A lost line is asked for again until it is back; nobody has to reload. */
export interface LinePorts {
  /** Ask for the server's health. What comes of it arrives through `note`. */
  readonly ask: () => Promise<unknown>
  readonly wait: (ms: number) => Promise<void>
  readonly now: () => number
  /** What was missed must be read again. */
  readonly onBack: () => void
}

const askEveryMs = 2000

export class LineState {
  reachable = $state(true)
  /** When the line was lost, in milliseconds since 1970. */
  lostAt = $state<number | null>(null)
  readonly #ports: LinePorts

  constructor(ports: LinePorts) {
    this.#ports = ports
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
