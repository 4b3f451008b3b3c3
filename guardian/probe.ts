/** Asks the guardian what this kernel can enforce. */
import { execFile } from 'node:child_process'
import { isLayer, type OptionalLayer, optionalLayers } from './layers.ts'
import { list, parseObject } from './report.ts'

/** The kernel's answer, measured by trying. */
export interface HostFacts {
  /** Landlock ABI; 0 when the kernel has none or it is switched off. */
  readonly abi: number
  /** Optional layers that were put up in a trial process and held. */
  readonly layers: readonly OptionalLayer[]
  /** Optional layers that were refused, with the error the kernel gave. */
  readonly missing: readonly { readonly layer: string; readonly reason: string }[]
}

export type ProbeResult =
  | { readonly ok: true; readonly facts: HostFacts }
  /** `missing`: no such file. `unusable`: it is there and cannot be run, or answers something else. */
  | { readonly ok: false; readonly kind: 'missing' | 'unusable'; readonly problem: string }

/** Contract: never rejects; starts no process but the guardian, with an empty environment, for at most 5 s. */
export function probeHost(binary: string): Promise<ProbeResult> {
  return new Promise((resolve) => {
    execFile(binary, ['--probe'], { env: {}, timeout: 5_000 }, (error, stdout) => {
      if (error === null) resolve(readFacts(stdout))
      else if (error.code === 'ENOENT') resolve({ ok: false, kind: 'missing', problem: `${binary} does not exist` })
      else resolve({ ok: false, kind: 'unusable', problem: `its probe failed (${error.code ?? error.signal ?? 'unknown'})` })
    })
  })
}

function readFacts(stdout: string): ProbeResult {
  const fields = parseObject(stdout)
  if (typeof fields?.['abi'] !== 'number') return { ok: false, kind: 'unusable', problem: 'its probe gave no answer' }
  const held = new Set(list(fields['layers']).filter(isLayer))
  const missing = Object.entries(fields['missing'] ?? {}).map(([layer, reason]) => ({ layer, reason: String(reason) }))
  return { ok: true, facts: { abi: fields['abi'], layers: optionalLayers.filter((layer) => held.has(layer)), missing } }
}
