/** `preflight`: what this copy of the engine is, and that the governance gate has admitted none of it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { evaluateAdmission, policyDigest, type RootCapability, rootPolicy } from '../index.ts'
import { type Console, exits } from './console.ts'
import { digestSources, type SourcesDigest } from './sources.ts'

/** It states integrity and nothing else: that these are the sources, not that they are any good. */
interface PreflightReceipt {
  readonly receipt: 'integrity-only'
  readonly harnessReady: false
  readonly policy: { readonly id: string; readonly version: number; readonly digest: string }
  readonly sources: SourcesDigest
  readonly versions: { readonly engine: string; readonly node: string }
  readonly capabilities: Readonly<
    Record<RootCapability, { readonly decision: 'deny'; readonly reason: { readonly code: string; readonly message: string } }>
  >
}

const engineHome = fileURLToPath(new URL('../../', import.meta.url))

/** Print the receipt of this engine: JSON and nothing else on `out`, a summary on `err`. */
export async function preflight(console: Console): Promise<number> {
  const receipt = await writeReceipt(engineHome)
  console.out(`${JSON.stringify(receipt, null, 2)}\n`)
  console.err(summarise(receipt))
  return exits.fine
}

async function writeReceipt(home: string): Promise<PreflightReceipt> {
  const { id, version } = rootPolicy
  const { version: engine } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string }
  return {
    receipt: 'integrity-only',
    harnessReady: false,
    policy: { id, version, digest: policyDigest() },
    sources: await digestSources(home),
    versions: { engine, node: process.versions.node },
    capabilities: describeCapabilities(),
  }
}

function describeCapabilities(): PreflightReceipt['capabilities'] {
  const verdicts = evaluateAdmission().map(({ capability, decision, reason: { code, permits, needs } }) => {
    const message = `The governance gate has not admitted it. To ${permits}, it needs ${needs}.`
    return [capability, { decision, reason: { code, message } }] as const
  })
  return Object.fromEntries(verdicts) as PreflightReceipt['capabilities']
}

function summarise({ policy, sources, versions, capabilities }: PreflightReceipt): string {
  return [
    `Engine ${versions.engine} on Node ${versions.node}: integrity only, not ready.`,
    `Policy ${policy.id} ${policy.version}, ${policy.digest.slice(0, 12)}.`,
    `Sources: ${sources.files} files, ${sources.digest.slice(0, 12)}.`,
    ...Object.entries(capabilities).map(([capability, { decision }]) => `  ${decision}  ${capability}`),
    '',
  ].join('\n')
}
