import { describe, expect, it } from 'vitest'
import { checkExtras, checkMethod, checkSingular, checkTarget, checkVersion } from './form.ts'
import { type RequestFacts, readFacts } from './request.ts'

const request = (given: { method?: string; target?: string; version?: string; headers?: [string, string][] }): RequestFacts =>
  readFacts({
    httpVersion: given.version ?? '1.1',
    method: given.method ?? 'GET',
    url: given.target ?? '/',
    rawHeaders: (given.headers ?? []).flat(),
  })

const malformed = { code: 'request_malformed' }

describe('checkTarget', () => {
  it.each([
    '/',
    '/api/health',
    '/api/run/run_01J8/stream',
    '/assets/index-Bx_9.js',
    '/api/timeline/list?runId=a&after=%2Fx',
    '/a?b=//../%00',
  ])('takes %s', (target) => {
    expect(checkTarget(request({ target }))).toBeNull()
  })

  it.each([
    [
      'a target that is no path',
      ['*', 'http://127.0.0.1:5173/api/health', 'https://evil.test/', 'evil.test:80', '', 'api/health'],
    ],
    ['an empty segment', ['//', '//api/health', '/api//health', '/api/health/', '/assets/']],
    ['a dot segment', ['/.', '/..', '/api/../api/health', '/./api', '/...', '/api/..']],
    ['an escape', ['/api%2fhealth', '/%61pi/health', '/%2e%2e/etc/passwd', '/api/health%00', '/%']],
    ['parameters and back-slashes', ['/api;a=b/health', '/api/health;x', '/\\api\\health', '/api\\..\\health']],
    ['what a browser would never send', ['/api/héalth', '/api/hea lth', '/api/health#top', '/api/health\t', '/<script>']],
  ])('refuses %s', (_what, targets) => {
    for (const target of targets) expect(checkTarget(request({ target })), target).toMatchObject(malformed)
  })
})

describe('checkMethod', () => {
  it.each(['GET', 'HEAD', 'POST'])('takes %s', (method) => expect(checkMethod(request({ method }))).toBeNull())

  it.each(['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'CONNECT', 'PROPFIND', 'get', ''])('refuses %s', (method) =>
    expect(checkMethod(request({ method }))).toMatchObject({ code: 'method_not_allowed' }),
  )

  it('does not let a header or a query name another method', () => {
    const disguised = request({ method: 'GET', target: '/?_method=POST', headers: [['X-HTTP-Method-Override', 'DELETE']] })
    expect(disguised.method).toBe('GET')
    expect(checkMethod(disguised)).toBeNull()
  })
})

describe('checkVersion', () => {
  it('speaks HTTP/1.1 and nothing older', () => {
    expect(checkVersion(request({ version: '1.1' }))).toBeNull()
    for (const version of ['1.0', '0.9', '2.0']) expect(checkVersion(request({ version })), version).toMatchObject(malformed)
  })
})

describe('checkSingular', () => {
  it.each([
    'Authorization',
    'Cookie',
    'Origin',
    'X-Bridlewise-Token',
    'Content-Type',
    'Sec-Fetch-Site',
    'Idempotency-Key',
    'Last-Event-ID',
  ])('takes one %s and refuses two', (name) => {
    expect(checkSingular(request({ headers: [[name, 'a']] }))).toBeNull()
    expect(
      checkSingular(
        request({
          headers: [
            [name, 'a'],
            [name.toLowerCase(), 'a'],
          ],
        }),
      ),
    ).toMatchObject(malformed)
  })

  it('takes what may be repeated', () => {
    expect(
      checkSingular(
        request({
          headers: [
            ['Accept', 'a'],
            ['Accept', 'b'],
          ],
        }),
      ),
    ).toBeNull()
  })

  it('refuses so many headers that some would be left out of sight', () => {
    const headers = (count: number): [string, string][] => Array.from({ length: count }, (_, i) => [`x-${i}`, 'a'])
    expect(checkSingular(request({ headers: headers(64) }))).toBeNull()
    expect(checkSingular(request({ headers: headers(65) }))).toMatchObject(malformed)
  })
})

describe('checkExtras', () => {
  it('switches no protocol and meets no strange expectation', () => {
    expect(checkExtras(request({ headers: [['Expect', '100-continue']] }))).toBeNull()
    expect(checkExtras(request({ headers: [['Expect', 'the-unexpected']] }))).toMatchObject(malformed)
    expect(checkExtras(request({ headers: [['Upgrade', 'websocket']] }))).toMatchObject(malformed)
    expect(checkExtras(request({ headers: [['Upgrade', 'h2c']] }))).toMatchObject(malformed)
  })
})
