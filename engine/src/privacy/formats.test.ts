/** Every format: a made-up secret is found in whatever it is wrapped, and the wrapping stays as it is. */
import { describe, expect, test } from 'vitest'
import { createRedactor } from './index.ts'
import { makeSecret, samples } from './sample-secrets.ts'
import { formats } from './scan.ts'

const redactor = createRedactor({ salt: 'a salt for this test only' })

/** How a secret comes along. What is around it must stay byte for byte. */
const wrappers: Readonly<Record<string, (secret: string) => readonly [string, string]>> = {
  bare: () => ['', ''],
  quoted: () => ['const value = "', '"'],
  json: () => ['{"value": "', '"}'],
  'json in json': () => ['{"text": "{\\"value\\": \\"', '\\"}"}'],
  yaml: () => ['value: ', '\nnext: 1'],
  'url query': () => ['see /path?value=', '&next=1'],
  'added line of a diff': () => ['+', '\n context'],
  'removed line of a diff': () => ['-', '\n context'],
  'code fence': () => ['```\n', '\n```'],
  csv: () => ['1,', ',2'],
  header: () => ['X-Value: ', '\r\nAccept: */*'],
  'log line': () => ['2026-01-01 INFO value=', ' done'],
  html: () => ['<td>', '</td>'],
  comment: () => ['/* ', ' */'],
  'after a colour code': () => ['\u001b[32m', '\u001b[0m'],
  'between escaped line ends': () => ['"first\\n', '\\nlast"'],
}

describe.each(samples)('$kind, $pattern', ({ kind, pattern, name = '', rest = '', takesSigns, lines }) => {
  test('is found in everything it can be wrapped in', () => {
    for (const [wrapping, wrap] of Object.entries(wrappers)) {
      // A name and value with quotes of their own do not stand inside the quotes of something else.
      if (/["']/.test(rest) && /["']/.test(wrap('').join(''))) continue
      if (takesSigns && /^[&,]/.test(wrap('')[1])) continue
      if (lines && !/^(?:bare|quoted|yaml|code fence|html|comment|after a colour code)$/.test(wrapping)) continue
      const secret = makeSecret(pattern)
      const [before, after] = wrap(secret)
      const { text, counts } = redactor.redact(`${before}${name}${secret}${rest}${after}`)
      const [head, tail] = [`${before}${name}`, `${rest}${after}`]
      expect(text, wrapping).toMatch(/\[REDACTED:\w+:[0-9a-f]{8}\]/)
      expect([text.slice(0, head.length), text.slice(text.length - tail.length)], wrapping).toEqual([head, tail])
      expect(text.slice(head.length, text.length - tail.length), wrapping).toMatch(/^\[[^\]]*\]$/)
      expect(Object.keys(counts), wrapping).toEqual([kind])
    }
  })
})

test('every beginning of every format has a made-up secret', () => {
  const texts = samples.map(({ kind, name = '', pattern }) => ({ kind, text: (name + makeSecret(pattern)).toLowerCase() }))
  const missing = formats.flatMap(({ kind, anchors }) =>
    anchors.filter((anchor) => !texts.some((sample) => sample.kind === kind && sample.text.includes(anchor))),
  )
  expect(missing).toEqual([])
})

const base64Url = (text: string) => Buffer.from(text).toString('base64url')

describe('what stands in the middle of other things', () => {
  test('of a URL only the password goes', () => {
    const password = makeSecret('{a20}')
    const { text } = redactor.redact(`DATABASE_URL=postgres://app:${password}@db.test:5432/app?ssl=1`)
    expect(text).toMatch(/^DATABASE_URL=postgres:\/\/app:\[REDACTED:\w+:[0-9a-f]{8}\]@db\.test:5432\/app\?ssl=1$/)
  })

  test('a JSON text stays one, escapes and all', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${makeSecret('{a64}')}\n${makeSecret('{a64}')}\n-----END PRIVATE KEY-----\n`
    const account = { type: 'service_account', private_key: pem, password: makeSecret('{a20}'), nested: JSON.stringify({ pem }) }
    const { text, counts } = redactor.redact(JSON.stringify(account))
    expect(JSON.parse(text)).toMatchObject({ type: 'service_account' })
    expect(counts).toEqual({ private_key: 2, named_secret: 1 })
  })

  test('a Basic header is a login in base64', () => {
    const login = Buffer.from(`me:${makeSecret('{l9}')}`).toString('base64')
    expect(redactor.redact(`Proxy-Authorization: Basic ${login}\r\n`).text).toMatch(/^Proxy-Authorization: Basic \[\S+\]\r\n$/)
    expect(redactor.redact('basic understanding, Basic TypeScript').counts).toEqual({})
  })

  test('a private key without its end is still one', () => {
    const rows = [makeSecret('{a64}'), makeSecret('{a64}')]
    const { text } = redactor.redact(`$ head -3 key.pem\n-----BEGIN RSA PRIVATE KEY-----\n${rows.join('\n')}\n$ `)
    for (const row of rows) expect(text).not.toContain(row)
    expect(text).toMatch(/^\$ head -3 key\.pem\n\[REDACTED:private_key:[0-9a-f]{8}\]\n\$ $/)
  })

  test('a JWT needs a header that says how it is signed', () => {
    const [payload, signature] = [base64Url('{"sub":"someone"}'), makeSecret('{u43}')]
    const signed = `${base64Url('{"alg":"HS256","typ":"JWT"}')}.${payload}.${signature}`
    const other = `${base64Url('{"kind":"something else"}')}.${payload}.${signature}`
    expect(redactor.redact(`token ${signed}.`).counts).toEqual({ jwt: 1 })
    expect(redactor.redact(`token ${other}.`).counts).toEqual({})
  })

  test('an invisible character or a colour inside a secret does not save it', () => {
    for (const gap of ['\u200b', '\u00ad', '\u001b[1m', '\\u001b[31m']) {
      const [head, tail] = [`ghp_${makeSecret('{a18}')}`, makeSecret('{a18}')]
      const { text } = redactor.redact(`found ${head}${gap}${tail} here`)
      expect(text).toMatch(/^found \[REDACTED:github_token:[0-9a-f]{8}\] here$/)
    }
  })

  test('full-width letters are letters', () => {
    const secret = [...`ghp_${makeSecret('{a36}')}`].map((c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join('')
    expect(redactor.redact(`(${secret})`).text).toMatch(/^\(\[REDACTED:github_token:[0-9a-f]{8}\]\)$/)
  })
})
