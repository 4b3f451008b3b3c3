import { describe, expect, it } from 'vitest'
import { checkMetadata, checkOrigin } from './origin.ts'
import { readFacts } from './request.ts'

const host = '127.0.0.1:5173'

const request = (headers: Readonly<Record<string, string>>, at: { method?: string; target?: string } = {}) =>
  readFacts({
    httpVersion: '1.1',
    method: at.method ?? 'GET',
    url: at.target ?? '/api/run/list',
    rawHeaders: ['Host', host, ...Object.entries(headers).flat()],
  })

const refused = { code: 'origin_not_allowed' }

describe('checkOrigin', () => {
  it('takes our own origin, and a request without one', () => {
    expect(checkOrigin(request({ Origin: `http://${host}` }))).toBeNull()
    expect(checkOrigin(request({}))).toBeNull()
  })

  it.each([
    ['a page without an origin', 'null'],
    ['another scheme', `https://${host}`],
    ['another port', 'http://127.0.0.1:51730'],
    ['no port', 'http://127.0.0.1'],
    ['another of our own names', 'http://localhost:5173'],
    ['a name that begins like ours', `http://${host}.evil.test`],
    ['user info', `http://${host}@evil.test`],
    ['upper case', `HTTP://${host}`],
    ['a trailing slash', `http://${host}/`],
    ['two origins', `http://${host}, http://${host}`],
    ['an extension', 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'],
    ['nothing', ''],
  ])('refuses %s', (_what, origin) => {
    expect(checkOrigin(request({ Origin: origin }))).toMatchObject(refused)
  })

  it('lets no web socket begin without an origin, nor with a foreign one', () => {
    expect(checkOrigin(request({ Upgrade: 'websocket' }))).toMatchObject(refused)
    expect(checkOrigin(request({ Upgrade: 'websocket', Origin: 'http://evil.test' }))).toMatchObject(refused)
  })
})

describe('checkMetadata', () => {
  it.each([
    ['our page calls', { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' }, { target: '/api/run/list' }],
    [
      'our page posts',
      { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'cors' },
      { method: 'POST', target: '/api/run/start' },
    ],
    [
      'our page loads its script',
      { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'script' },
      { target: '/assets/index.js' },
    ],
    ['a person opens the cockpit', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }, { target: '/' }],
    ['a program calls', {}, { method: 'POST', target: '/api/run/start' }],
    [
      'our page registers its worker',
      { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'serviceworker', 'Service-Worker': 'script' },
      { target: '/sw.js' },
    ],
  ])('lets through: %s', (_what, headers, at) => {
    expect(checkMetadata(request(headers as Record<string, string>, at))).toBeNull()
  })

  it.each([
    ['another site calls', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'cors' }, { target: '/api/run/list' }],
    [
      'another port of this machine calls',
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' },
      { target: '/api/run/list' },
    ],
    ['another site links to the cockpit', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }, { target: '/' }],
    [
      'another port embeds a file of ours',
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Dest': 'script' },
      { target: '/assets/index.js' },
    ],
    ['an operation is opened by hand', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }, { target: '/api/run/list' }],
    ['an operation is prefetched', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'no-cors' }, { target: '/api/health' }],
    ['an extension fetches the cockpit', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'cors' }, { target: '/' }],
    [
      'a form is posted from the address bar',
      { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' },
      { method: 'POST', target: '/' },
    ],
    ['a value that no browser sends', { 'Sec-Fetch-Site': 'Same-Origin' }, { target: '/api/run/list' }],
    [
      'a worker is registered from another file',
      { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'serviceworker' },
      { target: '/assets/x.js' },
    ],
    [
      'a worker is registered from a reply',
      { 'Sec-Fetch-Site': 'same-origin', 'Service-Worker': 'script' },
      { target: '/api/health' },
    ],
  ])('refuses: %s', (_what, headers, at) => {
    expect(checkMetadata(request(headers as Record<string, string>, at))).toMatchObject(refused)
  })
})
