/** A key and a certificate that it signed itself, for 127.0.0.1 and for nobody to trust. Made anew for each test run. */
import { generateKeyPairSync, sign } from 'node:crypto'

export interface SelfSigned {
  readonly key: string
  /** PEM. */
  readonly cert: string
}

/** The least of X.509 (RFC 5280) that a TLS server can show: version, number, ECDSA with SHA-256, names, dates, key, address. */
export function makeSelfSigned(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(tlv(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const name = sequence(tlv(0x31, sequence(tlv(0x06, Buffer.from('550403', 'hex')), tlv(0x0c, Buffer.from('localhost')))))
  const dates = sequence(tlv(0x17, Buffer.from('200101000000Z')), tlv(0x17, Buffer.from('491231235959Z')))
  const address = sequence(tlv(0x87, Buffer.from([127, 0, 0, 1])))
  const extension = sequence(tlv(0x06, Buffer.from('551d11', 'hex')), tlv(0x04, address))
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    algorithm,
    name,
    dates,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(extension)),
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const lines = sequence(body, algorithm, signature)
    .toString('base64')
    .replaceAll(/(.{64})/g, '$1\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
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
