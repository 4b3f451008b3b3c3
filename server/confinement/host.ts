/** What was measured about this host before anything is started on it. */
import { createHash } from 'node:crypto'
import { type Stats, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import {
  compilerRemedy,
  type HostFacts,
  landlockFloor,
  mandatoryLayers,
  type OptionalLayer,
  probeHost,
} from '@bridlewise/guardian'
import { ok, type Refusal, type Result, refuse } from '@bridlewise/shared/refusals'

/** Contract: every line of it was tried on this host, in this process's lifetime. */
export type GuardianProbe = ReadyHost | { readonly state: 'refused'; readonly refusal: Refusal; readonly measuredAt: number }

export interface ReadyHost {
  readonly state: 'ready'
  /** Landlock ABI of the kernel. */
  readonly abi: number
  /** What will hold around every command. */
  readonly layers: readonly string[]
  /** What this host refuses, and the error it gave. */
  readonly missing: readonly { readonly layer: string; readonly reason: string }[]
  /** What no layer covers here. */
  readonly notCovered: readonly string[]
  /** `off`: nothing leaves. `partly`: TCP is denied, other ways are open. */
  readonly network: 'off' | 'partly'
  readonly measuredAt: number
}

/** The guardian as it was measured. */
export interface Guardian {
  readonly binary: string
  /** `sha256:` and the digest of the program. */
  readonly digest: string
  readonly facts: HostFacts
  /** Optional layers to require around every command. */
  readonly require: readonly OptionalLayer[]
  readonly network: 'off' | 'partly'
  /** False once the program on disk is another one than was measured. */
  unchanged(): boolean
}

/**
 * Ask the guardian what this kernel grants, and choose the layers.
 *
 * Refuses: guardian_missing, guardian_unusable, kernel_unsupported.
 */
export async function measureGuardian(binary: string): Promise<Result<Guardian>> {
  const probe = await probeHost(binary)
  if (!probe.ok && probe.kind === 'missing') return refuse('guardian_missing', { remedy: compilerRemedy })
  if (!probe.ok) return refuse('guardian_unusable', { problem: probe.problem })
  const { facts } = probe
  if (facts.abi < landlockFloor) {
    const found = facts.abi === 0 ? 'it has no Landlock, or Landlock is switched off' : `its Landlock ABI is ${facts.abi}`
    return refuse('kernel_unsupported', { problem: `${found}; ABI ${landlockFloor} (Linux 6.2) or newer is needed` })
  }
  const chosen = chooseLayers(facts.layers)
  if (chosen === null) return refuse('kernel_unsupported', { problem: 'none of the ways to take the network away works' })
  const measured = statSync(binary)
  const digest = createHash('sha256')
    .update(await readFile(binary))
    .digest('hex')
  return ok({ binary, digest: `sha256:${digest}`, facts, ...chosen, unchanged: () => isSame(measured, binary) })
}

/**
 * Everything that works here, with the best way to take the network away: an own namespace leaves a
 * private loopback for tests; without one no socket can be made; failing both, TCP alone is denied.
 */
export function chooseLayers(
  working: readonly OptionalLayer[],
): { require: readonly OptionalLayer[]; network: 'off' | 'partly' } | null {
  const has = new Set(working)
  const always = working.filter((layer) => layer !== 'tcp' && layer !== 'sockets')
  if (has.has('net')) return { require: always, network: 'off' }
  if (has.has('sockets')) return { require: [...always, 'sockets'], network: 'off' }
  if (has.has('tcp')) return { require: [...always, 'tcp'], network: 'partly' }
  return null
}

/** What a report of this guardian will list. */
export function expectedLayers(guardian: Guardian): string[] {
  return [...mandatoryLayers, ...guardian.require]
}

function isSame(measured: Stats, binary: string): boolean {
  const now = statSync(binary, { throwIfNoEntry: false })
  return now !== undefined && now.ino === measured.ino && now.size === measured.size && now.ctimeMs === measured.ctimeMs
}
