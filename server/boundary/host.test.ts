import { describe, expect, it } from 'vitest'
import { allowedHosts, type Bound, checkHost } from './host.ts'
import { readFacts } from './request.ts'

const withHosts = (...hosts: string[]) =>
  readFacts({ httpVersion: '1.1', method: 'GET', url: '/', rawHeaders: hosts.flatMap((host) => ['Host', host]) })

const v4: Bound = { address: '127.0.0.1', port: 5173 }
const v6: Bound = { address: '::1', port: 5173 }
const web: Bound = { address: '127.0.0.1', port: 80 }

describe('checkHost', () => {
  it.each([
    [v4, '127.0.0.1:5173'],
    [v4, 'localhost:5173'],
    [v6, '[::1]:5173'],
    [v6, 'localhost:5173'],
    [web, 'localhost'],
    [web, '127.0.0.1:80'],
  ])('serves bound %j under %s', (bound, host) => {
    expect(checkHost(withHosts(host), allowedHosts(bound))).toBeNull()
  })

  it.each([
    ['another machine', ['evil.test', 'evil.test:5173', '192.168.1.5:5173']],
    [
      'a name that ends or begins like ours',
      ['foo.localhost:5173', 'localhost.evil.test:5173', '127.0.0.1.nip.test:5173', 'x.local:5173'],
    ],
    [
      'a wrong, missing or odd port',
      ['127.0.0.1', 'localhost', '127.0.0.1:5174', '127.0.0.1:05173', '127.0.0.1:', '127.0.0.1:5173:5173'],
    ],
    [
      'a spelling that a parser folds',
      ['127.1:5173', '2130706433:5173', '0x7f.1:5173', '0:5173', '127.0.0.2:5173', '１２７.0.0.1:5173', '0177.0.0.1:5173'],
    ],
    ['a trailing dot', ['localhost.:5173', '127.0.0.1.:5173']],
    ['another case or white space', ['LOCALHOST:5173', 'Localhost:5173', ' localhost:5173', 'localhost :5173']],
    ['the wrong family', ['[::1]:5173', '[::]:5173', '[::ffff:127.0.0.1]:5173', '::1:5173']],
    ['user info or a scheme', ['127.0.0.1:5173@evil.test', 'user@127.0.0.1:5173', 'http://127.0.0.1:5173']],
    ['nothing', ['']],
  ])('refuses %s', (_what, hosts) => {
    for (const host of hosts)
      expect(checkHost(withHosts(host), allowedHosts(v4)), host).toMatchObject({ code: 'host_not_allowed' })
  })

  it('refuses a missing Host and two of them, also when both are right', () => {
    const hosts = allowedHosts(v4)
    expect(checkHost(withHosts(), hosts)).toMatchObject({ code: 'host_not_allowed' })
    expect(checkHost(withHosts('localhost:5173', 'localhost:5173'), hosts)).toMatchObject({ code: 'host_not_allowed' })
    expect(checkHost(withHosts('localhost:5173', 'evil.test'), hosts)).toMatchObject({ code: 'host_not_allowed' })
    expect(checkHost(withHosts('localhost:5173'), hosts)).toBeNull()
  })

  it('refuses everything until it is known what the socket is bound to', () => {
    expect(checkHost(withHosts('localhost:5173'), new Set())).toMatchObject({ code: 'host_not_allowed' })
  })
})
