/** The diagnostics bundle as it was gathered, and what of it is to be saved. */
import type { Refusal } from '@bridlewise/shared/refusals'
import { type Diagnostics, type DiagnosticsSection, diagnosticsSections, writeDiagnostics } from '@bridlewise/shared/wire'
import type { StatePorts } from './ports.ts'
import { refusalOf } from './refusal-of.ts'

export class DiagnosticsState {
  bundle = $state.raw<Diagnostics | null>(null)
  leftOut = $state.raw<ReadonlySet<DiagnosticsSection>>(new Set())
  refusal = $state.raw<Refusal | null>(null)
  /** Sections that this server gave, in the order of the file. */
  readonly sections = $derived(diagnosticsSections.filter((section) => this.bundle?.sections[section] !== undefined))
  /** The file in parts; joined they are its bytes. */
  readonly parts = $derived(this.bundle === null ? [] : writeDiagnostics(this.bundle, this.leftOut))
  readonly text = $derived(this.parts.map((part) => part.text).join(''))
  readonly #ports: StatePorts

  constructor(ports: StatePorts) {
    this.#ports = ports
  }

  async load(): Promise<void> {
    const reply = await this.#ports.client.calls.diagnostics.gather({})
    this.refusal = refusalOf(reply)
    if (reply.ok) this.bundle = reply.value.bundle
  }

  toggle(section: DiagnosticsSection): void {
    const leftOut = new Set(this.leftOut)
    if (!leftOut.delete(section)) leftOut.add(section)
    this.leftOut = leftOut
  }

  forget(): void {
    this.bundle = null
    this.leftOut = new Set()
    this.refusal = null
  }
}
