import { describe, expect, it } from 'vitest'
import { checkBody, parseJson } from './body.ts'
import { readFacts } from './request.ts'

const request = (method: string, headers: Readonly<Record<string, string>>) =>
  readFacts({ httpVersion: '1.1', method, url: '/api/x', rawHeaders: Object.entries(headers).flat() })

describe('checkBody', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])(
    'takes %s',
    (type) => {
      expect(checkBody(request('POST', { 'Content-Type': type }))).toBeNull()
    },
  )

  it.each([
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; x=text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; a=b',
    'application/jsonp',
    'application/json, text/plain',
    'application/vnd.api+json',
    '',
  ])('refuses a body of type "%s"', (type) => {
    expect(checkBody(request('POST', { 'Content-Type': type }))).toMatchObject({ code: 'content_type_not_json' })
  })

  it('refuses a body that names no type', () => {
    for (const length of [{ 'Content-Length': '2' }, { 'Transfer-Encoding': 'chunked' }] as const)
      expect(checkBody(request('POST', length))).toMatchObject({ code: 'content_type_not_json' })
  })

  it('asks no type of a POST without a body, and refuses a wrong one', () => {
    expect(checkBody(request('POST', {}))).toBeNull()
    expect(checkBody(request('POST', { 'Content-Length': '0' }))).toBeNull()
    const form = { 'Content-Length': '0', 'Content-Type': 'application/x-www-form-urlencoded' }
    expect(checkBody(request('POST', form))).toMatchObject({ code: 'content_type_not_json' })
  })

  it('refuses compressed bodies, which could hold a thousand times their size', () => {
    const json = { 'Content-Type': 'application/json' }
    expect(checkBody(request('POST', { ...json, 'Content-Encoding': 'gzip' }))).toMatchObject({ code: 'request_malformed' })
    expect(checkBody(request('POST', { ...json, 'Content-Encoding': 'identity' }))).toBeNull()
  })

  it('refuses a body in a coding that nobody knows the end of', () => {
    const json = { 'Content-Type': 'application/json' }
    expect(checkBody(request('POST', { ...json, 'Transfer-Encoding': 'chunked' }))).toBeNull()
    for (const coding of ['xchunked', 'gzip, chunked', 'chunked, identity', 'identity']) {
      expect(checkBody(request('POST', { ...json, 'Transfer-Encoding': coding })), coding).toMatchObject({
        code: 'request_malformed',
      })
    }
  })

  it('refuses a body where none belongs', () => {
    for (const method of ['GET', 'HEAD']) {
      expect(checkBody(request(method, {}))).toBeNull()
      expect(checkBody(request(method, { 'Content-Length': '0' }))).toBeNull()
      expect(checkBody(request(method, { 'Content-Length': '2' }))).toMatchObject({ code: 'request_malformed' })
      expect(checkBody(request(method, { 'Transfer-Encoding': 'chunked' }))).toMatchObject({ code: 'request_malformed' })
    }
  })
})

describe('parseJson', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  it.each([
    ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    ['"a string"', 'a string'],
    ['{"text":"[[[[[[[[[[{{{{ \\" [[[ \\\\"}', { text: '[[[[[[[[[[{{{{ " [[[ \\' }],
    ['[[],[],[],[],[],[]]', [[], [], [], [], [], []]],
  ])('reads %s', (text, value) => {
    expect(parseJson(Buffer.from(text), 4)).toEqual({ ok: true, value })
  })

  it('takes the deepest allowed nesting and refuses one level more, before it parses', () => {
    expect(parseJson(Buffer.from(nested(64)), 64)).toMatchObject({ ok: true })
    expect(parseJson(Buffer.from(nested(65)), 64)).toMatchObject({ ok: false, refusal: { code: 'request_malformed' } })
    expect(parseJson(Buffer.from('['.repeat(200_000)), 64)).toMatchObject({
      ok: false,
      refusal: { details: { problem: expect.stringContaining('64') } },
    })
  })

  it.each([
    ['no JSON', '{a:1}'],
    ['nothing', ''],
    ['two values', '{}{}'],
    ['a byte order mark', '\uFEFF{}'],
  ])('refuses %s', (_what, text) => {
    expect(parseJson(Buffer.from(text), 64)).toMatchObject({ ok: false, refusal: { code: 'request_malformed' } })
  })

  it('refuses bytes that are not UTF-8', () => {
    expect(parseJson(Buffer.from([0x22, 0xff, 0xfe, 0x22]), 64)).toMatchObject({
      ok: false,
      refusal: { code: 'request_malformed' },
    })
  })
})
