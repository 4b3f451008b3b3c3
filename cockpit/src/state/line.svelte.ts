/** Whether the server answers. A lost line shows a quiet bar and goes away by itself. */
export class LineState {
  reachable = $state(true)
  /** When the line was lost, in milliseconds since 1970. */
  lostAt = $state<number | null>(null)

  note(reachable: boolean, now: number): void {
    if (this.reachable === reachable) return
    this.reachable = reachable
    this.lostAt = reachable ? null : now
  }
}
