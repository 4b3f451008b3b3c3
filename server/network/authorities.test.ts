import { describe, expect, it } from 'vitest'
import { makeAuthority, makeSelfSigned } from '../../tests/support/certificates.ts'
import { authorityLimits, readAuthorities } from './authorities.ts'

const now = Date.UTC(2026, 0, 1)
const good = makeAuthority().cert

describe('a bundle of authorities', () => {
  it('is read whole, without what stands around it and without doubles', () => {
    const other = makeAuthority().cert
    const read = readAuthorities(`# Ours\n${good}\r\n\n${other}${good}`, now)
    expect(read).toMatchObject({
      ok: true,
      value: [
        {
          name: expect.stringMatching(/^CN=A test authority/),
          fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
          expiresAt: Date.UTC(2049, 11, 31),
        },
        { name: expect.stringMatching(/^CN=A test authority/) },
      ],
    })
    expect(JSON.stringify(read)).not.toContain('Ours')
  })

  it.each<[string, string, RegExp]>([
    ['holds nothing', 'nothing', /no certificate/],
    [
      "holds a host's certificate",
      makeAuthority().issue({ names: ['a.test'] }).cert,
      /no authority's.*Add the one that signed it/,
    ],
    ['holds one that signed itself and is no authority', makeSelfSigned().cert, /no authority's/],
    ['holds one whose time is over', makeAuthority({ to: '250101' }).cert, /expired on 2025-01-01\. Ask/],
    ['holds one whose time has not come', makeAuthority({ from: '270101' }).cert, /not valid before 2027-01-01.*clock/],
    ['holds a good one and a bad one', good + makeAuthority({ to: '250101' }).cert, /certificate 2 of 2 expired/],
    ['is cut off', good.slice(0, -40), /no certificate|cut off/],
    ['is cut off after a good one', good + good.slice(0, -40), /cut off/],
    ['holds a block that is no certificate', good.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'), /cannot be read/],
    ['holds a private key', good + makeSelfSigned().key, /private key/],
    ['holds something else', good.replaceAll('CERTIFICATE', 'X509 CRL'), /something else/],
    ['is too long', good + ' '.repeat(authorityLimits.length), /longer than/],
    ['holds too many', good.repeat(authorityLimits.certificates + 1), /more than 100/],
  ])('that %s is refused with what to do', (_what, bundle, problem) => {
    const read = readAuthorities(bundle, now)
    expect(read.ok).toBe(false)
    if (read.ok) return
    expect(read.refusal.code).toBe('authorities_invalid')
    expect(read.refusal.message).toMatch(problem)
    expect(read.refusal.message).not.toContain('-----BEGIN PRIVATE')
  })
})
