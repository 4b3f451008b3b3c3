import { lookup } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { AddressForbidden, bareHost, guardedLookup, isLoopbackHost } from './address.ts'

it.each([
  ['http://localhost', true],
  ['http://LOCALHOST.', true],
  ['http://models.localhost', true],
  ['http://127.0.0.1', true],
  ['http://127.9.9.9', true],
  ['http://2130706433', true],
  ['http://0x7f.1', true],
  ['http://[::1]', true],
  ['http://[::ffff:127.0.0.1]', true],
  ['http://localhost.example.com', false],
  ['http://notlocalhost', false],
  ['http://127.0.0.1.example.com', false],
  ['http://128.0.0.1', false],
  ['http://192.168.0.1', false],
  ['http://[::2]', false],
  ['http://[::ffff:128.0.0.1]', false],
])('%s is this machine: %s', (address, expected) => {
  expect(isLoopbackHost(bareHost(new URL(address)))).toBe(expected)
})

describe('a name, when a connection is made', () => {
  const resolved = (name: string, secure: boolean) =>
    new Promise((resolve) => {
      guardedLookup(secure)(name, { all: true }, (failure, addresses) => resolve(failure ?? addresses))
    })

  it('resolves as the system resolves it', async () => {
    const expected = await new Promise((resolve) => lookup('localhost', { all: true }, (_, addresses) => resolve(addresses)))
    expect(await resolved('localhost', false)).toEqual(expected)
  })

  it.each(['169.254.169.254', '0.0.0.0', 'fe80::1'])('is refused when it means %s', async (address) => {
    expect(await resolved(address, true)).toBeInstanceOf(AddressForbidden)
  })

  it('is refused without TLS when it means a public address, and passes with it', async () => {
    expect(await resolved('192.0.2.1', false)).toBeInstanceOf(AddressForbidden)
    expect(await resolved('192.0.2.1', true)).toEqual([{ address: '192.0.2.1', family: 4 }])
  })
})
