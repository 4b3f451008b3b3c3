import { describe, expect, it } from 'vitest'
import { checkAddress, isLoopback, urlBelow } from './address.ts'

describe('an address that is accepted', () => {
  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/v1///', 'https://api.example.com/v1'],
    ['  HTTPS://API.Example.COM/v1 ', 'https://api.example.com/v1'],
    ['https://api.example.com', 'https://api.example.com'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
    ['http://localhost:1234/v1', 'http://localhost:1234/v1'],
    ['http://[::1]:8080/v1', 'http://[::1]:8080/v1'],
    ['http://192.168.1.20:8000/v1', 'http://192.168.1.20:8000/v1'],
    ['http://ollama:11434/v1', 'http://ollama:11434/v1'],
    ['http://models.lan/v1', 'http://models.lan/v1'],
    ['https://10.0.0.7/v1', 'https://10.0.0.7/v1'],
    ['https://me.test/deployments/a/?api-version=2024-10-21', 'https://me.test/deployments/a?api-version=2024-10-21'],
  ])('%s comes back as %s', (typed, spelling) => {
    expect(checkAddress(typed)).toEqual({ ok: true, value: spelling })
  })
})

it.each([
  ['http://127.0.0.1:1/v1', 'http://127.0.0.1:1/v1/models'],
  ['https://me.test', 'https://me.test/models'],
  ['https://me.test/d/a?api-version=1', 'https://me.test/d/a/models?api-version=1'],
])('a path below %s is %s', (baseUrl, url) => {
  expect(urlBelow(baseUrl, '/models').href).toBe(url)
})

describe('an address that is refused', () => {
  it.each([
    ['plain http to a public name', 'http://api.example.com/v1'],
    ['plain http to a public address', 'http://8.8.8.8/v1'],
    ['plain http to a public address in hexadecimal', 'http://0x08080808/v1'],
    ['a user name', 'https://good.test@evil.test/v1'],
    ['a user name and password', 'https://me:pw@evil.test/v1'],
    ['a query', 'https://api.example.com/v1?key=1'],
    ['an empty query', 'https://api.example.com/v1?'],
    ['another query beside a version', 'https://api.example.com/v1?api-version=1&key=1'],
    ['a fragment', 'https://evil.test/v1#good.test'],
    ['a backslash', 'https://good.test\\@evil.test/v1'],
    ['a NUL character', 'https://evil.test\0.good.test/v1'],
    ['an encoded NUL in the host', 'https://evil.test%00/v1'],
    ['a space inside', 'https://evil.test /v1'],
    ['cloud metadata', 'http://169.254.169.254/v1'],
    ['cloud metadata over TLS', 'https://169.254.169.254/v1'],
    ['cloud metadata in decimal', 'http://2852039166/v1'],
    ['cloud metadata mapped into IPv6', 'http://[::ffff:a9fe:a9fe]/v1'],
    ['cloud metadata through NAT64', 'https://[64:ff9b::a9fe:a9fe]/v1'],
    ['the metadata address of IPv6', 'http://[fd00:ec2::254]/v1'],
    ['a link-local address', 'http://[fe80::1]/v1'],
    ['the unspecified address', 'http://0.0.0.0:8000/v1'],
    ['multicast', 'https://224.0.0.1/v1'],
    ['another scheme', 'file:///etc/passwd'],
    ['no scheme', 'api.example.com/v1'],
    ['nothing', ''],
  ])('holds %s', (_what, typed) => {
    const checked = checkAddress(typed)
    expect(checked.ok || checked.refusal.code).toBe('provider_address_invalid')
  })

  it('never repeats a password', () => {
    for (const address of [
      'https://me:open-sesame@evil.test/v1',
      'https://api.example.com/v1?key=open-sesame',
      'https://api.example.com/v1#open-sesame',
    ])
      expect(JSON.stringify(checkAddress(address)), address).not.toContain('open-sesame')
  })
})

it.each([
  ['http://127.0.0.1:1/v1', true],
  ['http://127.9.9.9/v1', true],
  ['http://localhost/v1', true],
  ['http://[::1]/v1', true],
  ['http://[::ffff:7f00:1]/v1', true],
  ['http://192.168.0.1/v1', false],
  ['https://localhost.example.com/v1', false],
])('%s is this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected)
})
