/** The pinned governance contract: which capabilities there are, what each permits, and what it would take to admit it. */
import { hash } from 'node:crypto'

/** One interactive capability: what it lets the engine do, and what the governance gate wants to see before it admits it. */
interface CapabilityRule {
  readonly permits: string
  readonly needs: string
}

const rules = {
  model_invocation: {
    permits: 'send a request to the configured model and read its answer',
    needs: 'a reviewed record that every byte bound for a model passes the redacting door',
  },
  tool_dispatch: {
    permits: 'run a registered tool that the model called',
    needs: 'a reviewed record that the gate stops what the schema, the mode and the approvals forbid',
  },
  repository_mutation: {
    permits: 'change files inside the selected project through the transactional editor',
    needs: 'a reviewed record that no write leaves the project and that a failed transaction restores what it touched',
  },
  process_launch: {
    permits: 'start a process, confined by the guardian',
    needs: 'a reviewed record of the denied acts on the kernels that are supported',
  },
  network_use: {
    permits: 'reach the configured endpoints',
    needs: 'a reviewed record that no other destination can be reached',
  },
  durable_audit: {
    permits: 'append to the ledger and state that it verifies',
    needs: 'a reviewed record that edits, gaps and reorderings are named',
  },
} as const satisfies Readonly<Record<string, CapabilityRule>>

/** A capability of the root policy. Not to be confused with the capability of a tool (`read`, `write`, `execute`). */
export type RootCapability = keyof typeof rules

interface RootPolicy {
  readonly id: string
  readonly version: number
  /** What a person accepts, word for word. */
  readonly text: string
  readonly capabilities: readonly RootCapability[]
}

/** The policy in force. Any change of it changes the digest, and an acceptance of the old digest no longer counts. */
export const rootPolicy: RootPolicy = Object.freeze({
  id: 'bridlewise.root',
  version: 1,
  text:
    'Bridlewise is a developer preview and has not been audited. Under this policy it may invoke the model you configured, ' +
    'dispatch its registered tools, change files inside the project you selected, start processes confined by the guardian, ' +
    'use the network to reach the endpoints you configured, and keep a durable ledger of what it did. It may do nothing else. ' +
    'Whoever accepts this text does so for every user of this installation; the acceptance is recorded.',
  capabilities: Object.freeze(Object.keys(rules) as RootCapability[]),
})

/** SHA-256, in hex, over every word of the policy, rules included. */
export function policyDigest(): string {
  return hash('sha256', JSON.stringify([rootPolicy.id, rootPolicy.version, rootPolicy.text, Object.entries(rules)]), 'hex')
}

export interface AdmissionVerdict {
  readonly capability: RootCapability
  readonly decision: 'deny'
  readonly reason: {
    readonly code: 'governance_gate_closed'
    readonly permits: string
    readonly needs: string
  }
}

/**
 * What the governance gate says of each capability on its own, without anybody's acceptance.
 *
 * Contract: everything is denied. The gate admits on reviewed records, and this version ships none;
 * a developer preview is an acceptance of that state, not an admission by the gate.
 */
export function evaluateAdmission(): readonly AdmissionVerdict[] {
  return rootPolicy.capabilities.map((capability) => ({
    capability,
    decision: 'deny',
    reason: { code: 'governance_gate_closed', ...rules[capability] },
  }))
}
