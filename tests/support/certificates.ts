/** Keys and certificates, made anew for each test run: one that signed itself, and authorities with what they sign. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Certified {
  readonly key: string
  /** PEM. */
  readonly cert: string
}

export interface Wanted {
  /** Names of hosts, or IPv4 addresses. */
  readonly names: readonly string[]
  /** Two digits each: year, month, day. */
  readonly from?: string
  readonly to?: string
}

export interface TestAuthority {
  readonly cert: string
  issue(wanted: Wanted): Certified
}

/** For 127.0.0.1, and for nobody to trust. */
export function makeSelfSigned(): Certified {
  const keys = makeKeys()
  return { key: keys.pem, cert: makeCertificate({ subject: 'localhost', issuer: 'localhost', names: ['127.0.0.1'] }, keys, keys) }
}

export function makeAuthority(dates: Pick<Wanted, 'from' | 'to'> = {}): TestAuthority {
  const keys = makeKeys()
  const name = `A test authority ${randomBytes(4).toString('hex')}`
  return {
    cert: makeCertificate({ subject: name, issuer: name, names: [], authority: true, ...dates }, keys, keys),
    issue(wanted) {
      const own = makeKeys()
      return { key: own.pem, cert: makeCertificate({ subject: 'a host', issuer: name, ...wanted }, own, keys) }
    },
  }
}

interface Keys {
  readonly pem: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

function makeKeys(): Keys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, publicKey, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

interface Written extends Wanted {
  readonly subject: string
  readonly issuer: string
  readonly authority?: true
}

/** The least of X.509 (RFC 5280) that TLS needs: version, number, ECDSA with SHA-256, names, dates, key, what it is for. */
function makeCertificate(wanted: Written, own: Keys, signer: Keys): string {
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const named = (name: string) => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))))
  const date = (day: string) => tlv(0x17, Buffer.from(`${day}000000Z`))
  const hosts = sequence(...wanted.names.map(hostOf))
  const extensions = [
    ...(wanted.names.length > 0 ? [sequence(oid('551d11'), tlv(0x04, hosts))] : []),
    ...(wanted.authority ? [sequence(oid('551d13'), yes, tlv(0x04, sequence(yes)))] : []),
  ]
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([wanted.authority ? 1 : 2])),
    algorithm,
    named(wanted.issuer),
    sequence(date(wanted.from ?? '200101'), date(wanted.to ?? '491231')),
    named(wanted.subject),
    own.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, signer.privateKey)]))
  const lines = sequence(body, algorithm, signature)
    .toString('base64')
    .replaceAll(/(.{64})/g, '$1\n')
    .trimEnd()
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

const yes = tlv(0x01, Buffer.from([0xff]))

function hostOf(name: string): Buffer {
  return /^[\d.]+$/.test(name) ? tlv(0x87, Buffer.from(name.split('.').map(Number))) : tlv(0x82, Buffer.from(name))
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts))
}

/** Tag, length, value; lengths up to 65,535. */
function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}
