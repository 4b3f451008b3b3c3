import { describe, expect, it } from 'vitest'
import { authorizationOf, readProxy, secretsOf } from './proxy.ts'

describe('a proxy', () => {
  it.each([
    ['http://proxy.test:3128', 'http://proxy.test:3128'],
    ['proxy.test:3128', 'http://proxy.test:3128'],
    [' HTTP://Proxy.Test/ ', 'http://proxy.test:80'],
    ['https://proxy.test', 'https://proxy.test:443'],
    ['http://127.0.0.1:3128', 'http://127.0.0.1:3128'],
    ['http://[::1]:3128', 'http://[::1]:3128'],
    ['http://me:open@proxy.test:1', 'http://proxy.test:1'],
  ])('written %s is shown as %s', (text, place) => {
    const read = readProxy(text, 'It')
    expect(read.ok && read.value.place).toBe(place)
  })

  it.each([
    ['another protocol', 'socks5://open-sesame@proxy.test:1'],
    ['a file', 'file:///open-sesame'],
    ['a path', 'http://proxy.test/open-sesame'],
    ['a query', 'http://proxy.test?open-sesame'],
    ['a space', 'http://proxy.test :1/open-sesame'],
    ['a line end in the password', 'http://me:open-sesame%0d%0a@proxy.test'],
    ['a user name that would move the password', 'http://me%3aopen-sesame:x@proxy.test'],
    ['a broken escape', 'http://me:open-sesame%@proxy.test'],
    ['cloud metadata', 'http://me:open-sesame@169.254.169.254'],
    ['the unspecified address', 'http://me:open-sesame@0.0.0.0'],
    ['no address', ''],
    ['more than anybody types', `http://${'a'.repeat(3000)}.open-sesame`],
  ])('with %s is refused, and nothing of it is repeated', (_what, text) => {
    const read = readProxy(text, 'It')
    expect(read.ok || read.refusal.code).toBe('proxy_invalid')
    expect(JSON.stringify(read)).not.toContain('open-sesame')
  })

  it('is opened with what stands before its host, unescaped', () => {
    const read = readProxy('http://me:p%40ss%3Aw%25rd@proxy.test', 'It')
    if (!read.ok) throw new Error(read.refusal.message)
    const pair = Buffer.from('me:p@ss:w%rd').toString('base64')
    expect(authorizationOf(read.value)).toEqual({ 'proxy-authorization': `Basic ${pair}` })
    expect(secretsOf(read.value)).toEqual(['p@ss:w%rd', pair])
  })
})
