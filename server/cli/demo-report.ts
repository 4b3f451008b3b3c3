/** What the demo prints: words, calls, changes and the end, as plain lines. */
import type { Beat, FileDiff, Frame, Run } from '@bridlewise/shared/wire'

interface Verification {
  readonly valid: boolean
  readonly entries: number
  readonly head: string | null
  readonly broken: { readonly seq: number; readonly problem: string } | null
}

export class DemoReport {
  readonly #print: (line: string) => void
  /** Words come in pieces; they are printed as whole messages. */
  #words = ''

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  opening(path: string, prompt: string): void {
    this.#print('Recorded words: the model is a recording. Tools, sandbox, diffs and ledger are real.')
    this.#print(`project  ${path}`)
    this.#print(`you      ${prompt}`)
  }

  frame(frame: Frame): void {
    if (frame.kind === 'text') this.#words += frame.text
    if (frame.kind === 'beat') this.#beat(frame.beat)
  }

  outcome(run: Run): void {
    const { outcome } = run
    if (!outcome) return
    const files = outcome.filesChanged.length === 1 ? '1 file' : `${outcome.filesChanged.length} files`
    this.#print('')
    this.#print(
      `${run.status}: ${outcome.steps} steps, ${outcome.calls} calls, ${files} changed, ${(outcome.ms / 1000).toFixed(1)} s`,
    )
    if ('refusal' in outcome) this.#print(`${outcome.refusal.message} [${outcome.refusal.code}]`)
  }

  ledger(found: Verification): void {
    if (found.valid) this.#print(`ledger   ${found.entries} entries verified, head ${found.head ?? 'none'}`)
    else this.#print(`ledger   broken at entry ${found.broken?.seq}: ${found.broken?.problem}`)
  }

  #beat(beat: Beat): void {
    switch (beat.kind) {
      case 'message':
        if (beat.payload.role === 'assistant') this.#print(`model    ${beat.payload.text || this.#words}`)
        this.#words = ''
        return
      case 'call':
        this.#print(`${beat.payload.headline.verb.padEnd(9)}${beat.payload.headline.object}`)
        return
      case 'blocked':
        this.#print(`blocked  ${beat.payload.headline.object}: ${beat.payload.refusal.message}`)
        return
      case 'result':
        this.#print(`         ${beat.payload.summary} (${Math.round(beat.payload.ms)} ms)`)
        if (beat.payload.details.kind === 'diff') for (const file of beat.payload.details.files) this.#diff(file)
        if (beat.payload.details.kind === 'terminal') this.#confined(beat.payload.details.receipt?.layers ?? [])
        return
      default:
        return
    }
  }

  #diff(file: FileDiff): void {
    const signs = { same: ' ', added: '+', removed: '-' } as const
    for (const hunk of file.hunks) for (const line of hunk.lines) this.#print(`         ${signs[line.kind]} ${line.text}`)
  }

  #confined(layers: readonly string[]): void {
    this.#print(`         confined by ${layers.join(', ') || 'nothing'}`)
  }
}
