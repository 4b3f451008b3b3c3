/** Certificates of authorities that somebody adds to those that the runtime trusts: read, and held against what an authority is. */
import { X509Certificate } from 'node:crypto'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

export interface Authority {
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint: string
  /** Whom it names, in one line. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** The certificate alone, without what stood around it. */
  readonly pem: string
}

/** Of a bundle, in characters, and of the certificates in it. */
export const authorityLimits = { length: 262_144, certificates: 100 } as const

/**
 * Read a PEM bundle.
 *
 * Contract: all of it or nothing. Text around the blocks is left out; the same certificate twice is one.
 * Refuses: authorities_invalid, when a block is no certificate, a certificate is not an authority's, or its
 * time is over or has not come.
 */
export function readAuthorities(bundle: string, now: number): Result<readonly Authority[]> {
  const no = (problem: string) => refuse('authorities_invalid', { problem })
  if (bundle.length > authorityLimits.length) return no(`it is longer than ${authorityLimits.length} characters`)
  const foreign = /-----BEGIN (?!CERTIFICATE-----)([A-Z0-9 ]{1,40})-----/.exec(bundle)?.[1]
  if (foreign?.endsWith('PRIVATE KEY'))
    return no('it holds a private key, which belongs nowhere but where it was made. Nothing was kept')
  if (foreign !== undefined) return no(`it holds something else than certificates (${foreign})`)
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) return no('no certificate in PEM form was found; it begins with -----BEGIN CERTIFICATE-----')
  if (blocks.length !== bundle.split('-----BEGIN CERTIFICATE-----').length - 1) return no('a certificate in it is cut off')
  if (blocks.length > authorityLimits.certificates) return no(`it holds more than ${authorityLimits.certificates} certificates`)
  const found = new Map<string, Authority>()
  for (const [at, block] of blocks.entries()) {
    const read = readAuthority(block, now)
    if (typeof read === 'string') return no(`certificate ${at + 1} of ${blocks.length} ${read}`)
    found.set(read.fingerprint, read)
  }
  return ok([...found.values()])
}

/** Or what is wrong with it, as the end of a sentence. */
function readAuthority(block: string, now: number): Authority | string {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(block)
  } catch {
    return 'cannot be read'
  }
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  if (!certificate.ca) return "is no authority's: it may not sign others. Add the one that signed it"
  if (!(to > now)) return `expired on ${dayOf(to)}. Ask for the one that followed it`
  if (!(from <= now)) return `is not valid before ${dayOf(from)}. See that the clock of this machine is right`
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  return { fingerprint, name: nameOf(certificate), expiresAt: to, pem: certificate.toString() }
}

/** What a certificate says of itself is somebody's text: one line, bounded, nothing in it hides. */
function nameOf({ subject }: X509Certificate): string {
  const plain = subject.replaceAll(/[\s\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]+/gu, ' ').trim()
  return plain.length > 200 ? `${plain.slice(0, 199)}…` : plain || 'without a name'
}

function dayOf(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(0, 10) : 'an unreadable day'
}
