import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSystemNames } from './system.ts'
import { chooseWay, readProxyNames, type Sources } from './way.ts'

const nobody: Sources = { environment: null, stored: null, system: null }
const one = (https: string, exempt = '') => ({ http: null, https, exempt })
const models = new URL('https://models.test/v1')

function wayOf(sources: Partial<Sources>, url = models): string {
  const way = chooseWay({ ...nobody, ...sources }, url)
  if (!way.ok) return way.refusal.code
  return way.value.kind === 'direct' ? way.value.because : `${way.value.source} ${way.value.proxy.place}`
}

describe('the way to an endpoint', () => {
  const [environment, stored, system] = [one('one:1'), one('two:2'), one('three:3')]
  it.each<[string, Partial<Sources>, string]>([
    ['straight when nobody names a proxy', {}, 'no proxy'],
    ['by the environment before all others', { environment, stored, system }, 'environment http://one:1'],
    ['by what was set before the system', { stored, system }, 'stored http://two:2'],
    ['by the system where nobody else says anything', { system }, 'system http://three:3'],
    [
      'by what was set, when the environment only exempts',
      { environment: { http: null, https: null, exempt: 'a.test' }, stored },
      'stored http://two:2',
    ],
    [
      'straight where the environment exempts, though another source names the proxy',
      { environment: { http: null, https: null, exempt: 'models.test' }, stored },
      'exempt',
    ],
    ['straight where its own source exempts', { stored: one('two:2', '.test') }, 'exempt'],
    [
      'straight where the source in force has none for its scheme',
      { environment: { http: 'one:1', https: null, exempt: '' }, stored },
      'no proxy',
    ],
    [
      'nowhere, rather than straight, when the proxy cannot be read',
      { environment: one('socks5://one:1'), stored },
      'proxy_invalid',
    ],
  ])('is %s', (_how, sources, expected) => {
    expect(wayOf(sources)).toBe(expected)
  })

  it.each([
    'https://localhost/v1',
    'https://LOCALHOST./v1',
    'https://models.localhost:8443/v1',
    'https://127.0.0.1/v1',
    'https://127.255.255.254/v1',
    'https://2130706433/v1',
    'https://[::1]/v1',
    'https://[::ffff:127.0.0.1]/v1',
    'https://[::ffff:7f00:1]/v1',
  ])('is straight to this machine, whoever names a proxy: %s', (url) => {
    expect(wayOf({ environment, stored, system }, new URL(url))).toBe('loopback')
  })

  it.each(['https://localhost.test/v1', 'https://128.0.0.1/v1', 'https://[::2]/v1', 'https://192.168.0.1/v1'])(
    'is through the proxy to what only looks like it: %s',
    (url) => {
      expect(wayOf({ environment }, new URL(url))).toBe('environment http://one:1')
    },
  )
})

describe('the variables of a proxy', () => {
  it.each<[string, Record<string, string>, { http: string | null; https: string | null; exempt: string } | null]>([
    ['nothing', { HTTPS_PROXY: '', no_proxy: ' ' }, null],
    ['capitals', { HTTPS_PROXY: 'a', HTTP_PROXY: 'b', NO_PROXY: 'c' }, { https: 'a', http: 'b', exempt: 'c' }],
    ['small letters', { https_proxy: 'a', http_proxy: 'b', no_proxy: 'c' }, { https: 'a', http: 'b', exempt: 'c' }],
    ['both, and the small ones count', { https_proxy: 'a', HTTPS_PROXY: 'z' }, { https: 'a', http: null, exempt: '' }],
    ['one for all', { ALL_PROXY: 'a', http_proxy: 'b' }, { https: 'a', http: 'b', exempt: '' }],
  ])('say %s', (_what, environment, names) => {
    expect(readProxyNames(environment)).toEqual(names)
  })

  it('are read in the file of the system, as far as one can read it', () => {
    const base = mkdtempSync(join(tmpdir(), 'bridlewise-system-'))
    writeFileSync(
      join(base, 'environment'),
      'PATH="/bin"\n# HTTP_PROXY=no\nexport https_proxy="http://one:1"\nNO_PROXY=a.test,b.test\n',
    )
    expect(readSystemNames(join(base, 'environment'))).toEqual({ https: 'http://one:1', http: null, exempt: 'a.test,b.test' })
    expect(readSystemNames(join(base, 'nothing'))).toBeNull()
    expect(readSystemNames(base)).toBeNull()
    rmSync(base, { recursive: true })
  })
})
