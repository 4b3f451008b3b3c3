/** Private keys in files: PEM, PuTTY, WireGuard, Kubernetes. Public keys and certificates stay. */
import { type Format, type Found, shaped } from '../format.ts'

export const privateKeyFormats: readonly Format[] = [
  { kind: 'private_key', rank: 'shaped', anchors: ['-----begin '], edge: 'any', seek: seekPem },
  shaped({
    kind: 'private_key',
    anchors: ['private-lines:'],
    shape: /Private-Lines:\s{0,4}\d{1,3}(?<secret>(?:\s{1,8}[A-Za-z0-9+/=]{20,64}){1,200})/,
  }),
  shaped({ kind: 'wireguard_key', anchors: ['privatekey'], shape: /PrivateKey\s{0,8}=\s{0,8}(?<secret>[A-Za-z0-9+/]{43}=)/ }),
  shaped({
    kind: 'private_key',
    anchors: ['client-key-data'],
    shape: /client-key-data["']?\s{0,4}[:=]\s{0,8}["']?(?<secret>[A-Za-z0-9+/=]{40,16000})/,
  }),
  // The beginning of any PEM in base64, as in a Kubernetes secret; what is a key shows in the first row.
  shaped({
    kind: 'private_key',
    anchors: ['ls0tls1crudjti'],
    shape: /LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{40,24000}={0,2}/,
    guard: (secret) => Buffer.from(secret.slice(0, 96), 'base64').toString('latin1').includes('PRIVATE KEY'),
  }),
]

const header = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y
/** Up to the next row of dashes, which makes many begins without an end no more work than one. */
const body = /(?:[^-]|-(?!----)){0,20000}/y
const footer = /-----END [A-Z0-9 ]{0,80}PRIVATE KEY(?: BLOCK)?-----/y
const keyMaterial = /[A-Za-z0-9+/=]{32}/
/** Key material without an end: a log that was cut, a file that was read in part. */
const rows = /(?:[\s"'+,]{1,12}[A-Za-z0-9+/=]{24,128}){1,400}/y

function seekPem(text: string, at: number): Found | null {
  const begin = endOf(header, text, at)
  if (begin === null) return null
  const middle = endOf(body, text, begin) ?? begin
  const end = endOf(footer, text, middle)
  if (end !== null) return keyMaterial.test(text.slice(begin, middle)) ? { start: at, end } : null
  const cut = endOf(rows, text, begin)
  return cut === null ? null : { start: at, end: cut }
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
