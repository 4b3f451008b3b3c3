/** Grants: proof, as an object, that the root policy admitted a capability. Only this file can make one. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { policyDigest, type RootCapability, rootPolicy } from './root-policy.ts'

export type { Grant, Grants }

/** On what ground the grants were given; the record and every screen show it. */
type GrantBasis = 'developer_preview' | 'harness'

/** A person's acceptance of the policy text, as it stands in the record. */
export interface Acceptance {
  readonly acceptedBy: string
  /** Milliseconds since 1970. */
  readonly acceptedAt: number
  /** The digest of the text that was shown. */
  readonly policyDigest: string
}

/**
 * Grant what the developer preview admits: all six capabilities.
 *
 * Refuses: capability_denied when nobody is named, or when the accepted text is not the policy in force.
 */
export function admitDeveloperPreview(acceptance: Acceptance): Result<Grants> {
  const reason = findFlaw(acceptance)
  if (reason !== null) return refuse('capability_denied', { capability: 'any capability', reason })
  return ok(mintGrants('developer_preview', rootPolicy.capabilities))
}

/**
 * Grant what a scripted scenario needs: everything but the network, since its model is a script.
 * Only the harness and tests call this; a server or a command line that serves a person never does.
 */
export function admitHarness(): Grants {
  return mintGrants(
    'harness',
    rootPolicy.capabilities.filter((capability) => capability !== 'network_use'),
  )
}

/**
 * Take the grant of one capability out of a bundle, at the place that is about to use it.
 *
 * Contract: only bundles made here count. A cast, a spread, a JSON copy, an object created on top
 * of a bundle and a proxy around one are all refused.
 * Refuses: capability_denied.
 */
export function requireGrant<C extends RootCapability>(grants: Grants, capability: C): Result<Grant<C>> {
  if (!minted.has(grants))
    return refuse('capability_denied', { capability, reason: 'the grants were not given by the root policy' })
  const grant = grants.find(capability)
  if (grant === null) return refuse('capability_denied', { capability, reason: `it is not part of the ${grants.basis} grants` })
  return ok(grant)
}

/**
 * Check a grant that was handed inward, at the last step before the effect.
 *
 * Contract: throws when the grant is not genuine or is for another capability. Types forbid both, so
 * reaching this is a forged value: a fault, not an expected no.
 */
export function assertGrant<C extends RootCapability>(grant: Grant<C>, capability: C): void {
  if (!minted.has(grant) || grant.capability !== capability) throw new TypeError(`not a grant of ${capability}`)
}

/** Whatever is not in here is not a grant, whatever it looks like. */
const minted = new WeakSet<object>()

/** One capability, admitted. The private field keeps look-alikes out of the type; `minted` keeps them out at run time. */
class Grant<C extends RootCapability> {
  readonly #capability: C

  constructor(capability: C) {
    this.#capability = capability
  }

  get capability(): C {
    return this.#capability
  }
}

/** What one admission gave: a bundle of grants with its basis and the digest of the policy, for the record. */
class Grants {
  readonly #held: ReadonlyMap<RootCapability, Grant<RootCapability>>
  readonly #basis: GrantBasis
  readonly #digest: string

  constructor(basis: GrantBasis, digest: string, held: ReadonlyMap<RootCapability, Grant<RootCapability>>) {
    this.#basis = basis
    this.#digest = digest
    this.#held = held
  }

  get basis(): GrantBasis {
    return this.#basis
  }

  get digest(): string {
    return this.#digest
  }

  get capabilities(): readonly RootCapability[] {
    return [...this.#held.keys()]
  }

  /** The grant of a capability, or null when it was not admitted. */
  find<C extends RootCapability>(capability: C): Grant<C> | null {
    return (this.#held.get(capability) as Grant<C> | undefined) ?? null
  }
}

function mintGrants(basis: GrantBasis, capabilities: readonly RootCapability[]): Grants {
  const held = new Map(capabilities.map((capability) => [capability, new Grant(capability)]))
  const grants = new Grants(basis, policyDigest(), held)
  for (const genuine of [grants, ...held.values()]) minted.add(Object.freeze(genuine))
  return grants
}

function findFlaw(acceptance: Acceptance): string | null {
  if (acceptance.acceptedBy.trim() === '') return 'nobody is named as having accepted the policy'
  if (acceptance.policyDigest !== policyDigest()) return 'the accepted text is not the policy in force'
  return null
}
