import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCookie, readCredentials } from './credentials.ts'
import { readFacts } from './request.ts'

const cookie = randomBytes(32).toString('base64url')
const token = randomBytes(32).toString('base64url')

const presented = (headers: Readonly<Record<string, string>>, target = '/api/run/list') =>
  readCredentials(readFacts({ httpVersion: '1.1', method: 'GET', url: target, rawHeaders: Object.entries(headers).flat() }))

describe('readCredentials', () => {
  it('takes a cookie together with the token header, or an access token', () => {
    expect(presented({ Cookie: `bridlewise_session=${cookie}`, 'X-Bridlewise-Token': token })).toEqual({
      ok: true,
      value: { cookie, token, bearer: null },
    })
    expect(presented({ Cookie: `theme=dark; bridlewise_session=${cookie}; other=1`, 'x-bridlewise-token': token })).toMatchObject(
      { ok: true },
    )
    expect(presented({ Authorization: `Bearer ${token}` })).toEqual({
      ok: true,
      value: { cookie: null, token: null, bearer: token },
    })
    expect(presented({ Authorization: `bearer ${token}` })).toMatchObject({ ok: true })
  })

  it.each([
    ['nothing', {}, 'session_missing'],
    ['the token header alone', { 'X-Bridlewise-Token': token }, 'session_missing'],
    ['the cookie alone', { Cookie: `bridlewise_session=${cookie}` }, 'token_missing'],
    [
      'the cookie with an empty token header',
      { Cookie: `bridlewise_session=${cookie}`, 'X-Bridlewise-Token': '' },
      'token_missing',
    ],
    ['an empty cookie', { Cookie: 'bridlewise_session=', 'X-Bridlewise-Token': token }, 'session_missing'],
    ['a cookie of another name', { Cookie: `bridlewise_sessions=${cookie}`, 'X-Bridlewise-Token': token }, 'session_missing'],
    ['an enormous cookie', { Cookie: `bridlewise_session=${'a'.repeat(4000)}`, 'X-Bridlewise-Token': token }, 'session_missing'],
    [
      'the cookie twice',
      { Cookie: `bridlewise_session=${cookie}; bridlewise_session=planted${cookie}`, 'X-Bridlewise-Token': token },
      'request_malformed',
    ],
    ['another scheme', { Authorization: `Basic ${token}` }, 'session_missing'],
    ['a bearer of nothing', { Authorization: 'Bearer ' }, 'session_missing'],
    ['a bearer and more', { Authorization: `Bearer ${token} ${token}` }, 'session_missing'],
  ])('refuses %s', (_what, headers, code) => {
    expect(presented(headers as Record<string, string>)).toMatchObject({ ok: false, refusal: { code } })
  })

  it('does not look for a token in the query', () => {
    const target = `/api/run/list?x-bridlewise-token=${token}&token=${token}&access_token=${token}`
    expect(presented({ Cookie: `bridlewise_session=${cookie}` }, target)).toMatchObject({
      ok: false,
      refusal: { code: 'token_missing' },
    })
  })

  it('does not fall back to the cookie when an access token is wrong', () => {
    const all = { Authorization: 'Bearer ?', Cookie: `bridlewise_session=${cookie}`, 'X-Bridlewise-Token': token }
    expect(presented(all)).toMatchObject({ ok: false, refusal: { code: 'session_missing' } })
  })
})

describe('readCookie', () => {
  it.each([
    ['a=1', ['1']],
    ['b=2; a=1', ['1']],
    ['a=1;a=2', ['1', '2']],
    ['aa=1; ba=2', []],
    ['a', []],
    ['', []],
    ['a=x=y', ['x=y']],
  ])('finds in "%s" under "a": %j', (header, values) => {
    expect(readCookie(header, 'a')).toEqual(values)
  })
})
