/** What can be wrong with a proxy, as typed refusals. A proxy's own words are shown nowhere: nobody asked it. */
import { makeRefusal, type Refusal } from '@bridlewise/shared/refusals'
import type { ProxyAddress } from './proxy.ts'

/** Carries a refusal through code that only knows how to throw. */
export class NetworkFailure extends Error {
  override readonly name = 'NetworkFailure'
  readonly refusal: Refusal

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, { cause })
    this.refusal = refusal
  }
}

/** What a proxy answered in place of a tunnel. */
export function refusedBy({ place, credentials }: ProxyAddress, status: number): NetworkFailure {
  if (status !== 407) return new NetworkFailure(makeRefusal('proxy_refused', { proxy: place, status }))
  const problem = credentials === null ? 'none were given' : 'those given were not accepted'
  return new NetworkFailure(makeRefusal('proxy_unauthorized', { proxy: place, problem }))
}

/** A proxy that could not be reached, or hung up. */
export function unreachableProxy({ place }: ProxyAddress, cause: unknown): NetworkFailure {
  const problem = connectionProblem(cause)
  return new NetworkFailure(makeRefusal('proxy_unreachable', { proxy: place, problem, passing: isPassing(cause) }), cause)
}

const connectionProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
  ETIMEDOUT: 'it did not answer in time',
  EPROTO: 'what listens there does not speak TLS',
}

/** In plain words what went wrong with a connection, and never the text of an error. */
export function connectionProblem(cause: unknown): string {
  if (!(cause instanceof Error)) return 'the connection failed'
  if (cause.name === 'AddressForbidden') return cause.message
  const code = codeOf(cause)
  if (code.startsWith('HPE_')) return 'what listens there does not speak HTTP'
  const certificate = certificateProblem(cause)
  if (certificate) return `its certificate was not accepted: ${certificate.problem}`
  return connectionProblems[code] ?? (code ? `the connection failed (${code})` : 'the connection failed')
}

/** Troubles of a network that often are over at the next attempt. */
const passing: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])

export function isPassing(cause: unknown): boolean {
  return cause instanceof Error && passing.has(codeOf(cause))
}

interface CertificateProblem {
  /** As the end of a sentence. */
  readonly problem: string
  /** What whoever reads it can do. */
  readonly remedy: string
}

const ownAuthority =
  'If your organisation signs certificates itself, or its proxy opens encrypted traffic, an administrator can add its authority under Network'
const renewal = 'Whoever runs it has to renew it; see that the clock of this machine is right, too'
const certificateProblems: Readonly<Record<string, CertificateProblem>> = {
  CERT_HAS_EXPIRED: { problem: 'it has expired', remedy: renewal },
  CERT_NOT_YET_VALID: { problem: 'it is not valid yet', remedy: renewal },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    problem: 'it is for another name',
    remedy: 'Use the name in the address that the certificate is made for',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { problem: 'it is self-signed', remedy: ownAuthority },
  SELF_SIGNED_CERT_IN_CHAIN: { problem: 'it is signed by an authority that is not known here', remedy: ownAuthority },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { problem: 'it is signed by an authority that is not known here', remedy: ownAuthority },
  UNABLE_TO_GET_ISSUER_CERT: { problem: 'it is signed by an authority that is not known here', remedy: ownAuthority },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { problem: 'it is signed by an authority that is not known here', remedy: ownAuthority },
}

/** What is wrong with the certificate that a connection met; null when it failed for another reason. */
export function certificateProblem(cause: unknown): CertificateProblem | null {
  const code = codeOf(cause)
  const known = certificateProblems[code]
  if (known) return known
  const other = /^(CERT_|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/
  return other.test(code) ? { problem: `it was not accepted (${code})`, remedy: ownAuthority } : null
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
