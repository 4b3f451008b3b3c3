/** Every format: a made-up secret is found in whatever it is wrapped, and the wrapping stays as it is. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createRedactor } from './index.ts'

const redactor = createRedactor({ salt: 'a salt for this test only' })

const classes: Readonly<Record<string, string>> = {
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  h: '0123456789abcdef',
  d: '0123456789',
  l: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  U: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  A: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
}

/** The same made-up secrets on every run: a generator of Park and Miller, begun anew for each format. */
let state = 1
beforeEach(() => {
  state = 20_240_117
})
function pick(characters: string): string {
  state = (state * 48_271) % 2_147_483_647
  return characters.charAt(state % characters.length)
}

/** Fill in a pattern: `ghp_{a36}` is the prefix and 36 alphanumeric characters, of which the last is never a sign. */
function makeSecret(pattern: string): string {
  return pattern.replaceAll(/\{(\w)(\d+)\}/g, (_, name: string, count: string) => {
    const body = Array.from({ length: Number(count) - 1 }, () => pick(classes[name] ?? ''))
    return body.join('') + pick((classes[name] ?? '').replaceAll(/[^A-Za-z0-9]/g, ''))
  })
}

const discordId = Buffer.from('123456789012345678').toString('base64').replace(/=+$/, '')
const guid = '{h8}-{h4}-{h4}-{h4}-{h12}'

interface Sample {
  readonly kind: string
  readonly pattern: string
  /** What must stand before and after it. */
  readonly name?: string
  readonly rest?: string
  /** Signs may belong to it, so that it takes along what follows in a query or a row. */
  readonly takesSigns?: true
}

const samples: readonly Sample[] = [
  { kind: 'aws_access_key', pattern: 'AKIA{A16}' },
  { kind: 'aws_access_key', pattern: 'ASIA{A16}' },
  { kind: 'aws_secret_key', name: 'aws_secret_access_key = ', pattern: '{b40}' },
  { kind: 'aws_session_token', name: 'aws_session_token=', pattern: '{b200}' },
  { kind: 'google_api_key', pattern: 'AIza{u35}' },
  { kind: 'google_oauth_token', pattern: 'ya29.{u120}' },
  { kind: 'google_client_secret', pattern: 'GOCSPX-{u28}' },
  { kind: 'azure_client_secret', pattern: '{a3}8Q~{a34}' },
  { kind: 'azure_storage_key', name: 'DefaultEndpointsProtocol=https;AccountKey=', pattern: '{b86}==' },
  { kind: 'azure_signature', name: 'https://x.test/c?sv=1&sig=', pattern: '{a43}%3D' },
  { kind: 'openai_key', pattern: 'sk-{a20}T3BlbkFJ{a20}' },
  { kind: 'openai_key', pattern: 'sk-proj-{u120}' },
  { kind: 'openai_key', pattern: 'sk-svcacct-{u60}' },
  { kind: 'anthropic_key', pattern: 'sk-ant-api03-{u95}' },
  { kind: 'openrouter_key', pattern: 'sk-or-v1-{h64}' },
  { kind: 'model_key', pattern: 'sk-{h32}' },
  { kind: 'model_key', pattern: 'sk-{a48}' },
  { kind: 'huggingface_token', pattern: 'hf_{l34}' },
  { kind: 'groq_key', pattern: 'gsk_{a52}' },
  { kind: 'xai_key', pattern: 'xai-{a80}' },
  { kind: 'perplexity_key', pattern: 'pplx-{a48}' },
  { kind: 'replicate_token', pattern: 'r8_{a37}' },
  { kind: 'cohere_key', name: 'COHERE_KEY=', pattern: '{a40}' },
  { kind: 'mistral_key', name: '"mistralKey": "', pattern: '{a32}', rest: '"' },
  { kind: 'github_token', pattern: 'ghp_{a36}' },
  { kind: 'github_token', pattern: 'ghs_{a36}' },
  { kind: 'github_token', pattern: 'github_pat_{a22}_{a59}' },
  { kind: 'gitlab_token', pattern: 'glpat-{u20}' },
  { kind: 'gitlab_token', pattern: 'gldt-{u20}' },
  { kind: 'bitbucket_password', pattern: 'ATBB{a32}' },
  { kind: 'atlassian_token', pattern: 'ATATT3{u186}' },
  { kind: 'npm_token', pattern: 'npm_{a36}' },
  { kind: 'npm_token', name: '//registry.test/:_authToken=', pattern: '{a40}' },
  { kind: 'pypi_token', pattern: 'pypi-AgE{u150}' },
  { kind: 'rubygems_key', pattern: 'rubygems_{h48}' },
  { kind: 'crates_token', pattern: 'cio{a32}' },
  { kind: 'docker_token', pattern: 'dckr_pat_{u27}' },
  { kind: 'slack_token', pattern: 'xoxb-{d12}-{d12}-{a24}' },
  { kind: 'slack_token', pattern: 'xoxe.xoxp-1-{a146}' },
  { kind: 'slack_token', pattern: 'xapp-1-A{U10}-{d13}-{h64}' },
  { kind: 'slack_webhook', name: 'https://hooks.slack.com/services/', pattern: 'T{U8}/B{U8}/{a24}' },
  { kind: 'discord_token', pattern: `${discordId}.{u6}.{u38}` },
  { kind: 'discord_webhook', name: 'https://discord.com/api/webhooks/123456789012345678/', pattern: '{u68}' },
  { kind: 'telegram_token', pattern: '{d9}:AA{u33}' },
  { kind: 'teams_webhook', name: 'https://x.test/webhookb2/', pattern: `${guid}@${guid}/IncomingWebhook/{h32}/${guid}` },
  { kind: 'stripe_key', pattern: 'sk_live_{a24}' },
  { kind: 'stripe_key', pattern: 'rk_test_{a99}' },
  { kind: 'webhook_secret', pattern: 'whsec_{a32}' },
  { kind: 'twilio_key', pattern: 'SK{h32}' },
  { kind: 'sendgrid_key', pattern: 'SG.{u22}.{u43}' },
  { kind: 'mailgun_key', pattern: 'key-{h32}' },
  { kind: 'mailchimp_key', pattern: '{h32}-us12' },
  { kind: 'shopify_token', pattern: 'shpat_{h32}' },
  { kind: 'square_token', pattern: 'sq0atp-{u22}' },
  { kind: 'digitalocean_token', pattern: 'dop_v1_{h64}' },
  { kind: 'cloudflare_token', name: 'CLOUDFLARE_API_TOKEN: ', pattern: '{a40}' },
  { kind: 'cloudflare_origin_key', pattern: 'v1.0-{h24}-{h146}' },
  { kind: 'fly_token', pattern: 'fo1_{u43}' },
  { kind: 'fly_token', pattern: 'fm2_{b160}' },
  { kind: 'vercel_token', name: 'vercel_token=', pattern: '{a24}' },
  { kind: 'netlify_token', name: 'netlifyAuth: "', pattern: '{a43}', rest: '"' },
  { kind: 'supabase_key', pattern: 'sbp_{h40}' },
  { kind: 'supabase_key', pattern: 'sb_secret_{u31}' },
  { kind: 'planetscale_key', pattern: 'pscale_tkn_{a43}' },
  { kind: 'databricks_token', pattern: 'dapi{h32}-2' },
  { kind: 'vault_token', pattern: 'hvs.{u95}' },
  { kind: 'terraform_token', pattern: '{a14}.atlasv1.{u67}' },
  { kind: 'pulumi_token', pattern: 'pul-{h40}' },
  { kind: 'grafana_token', pattern: 'glsa_{a32}_{h8}' },
  { kind: 'grafana_token', pattern: 'glc_{b120}' },
  { kind: 'sentry_token', pattern: 'sntrys_{b120}' },
  { kind: 'newrelic_key', pattern: 'NRAK-{U27}' },
  { kind: 'linear_key', pattern: 'lin_api_{a40}' },
  { kind: 'notion_token', pattern: 'ntn_{d11}{a35}' },
  { kind: 'figma_token', pattern: 'figd_{u40}' },
  { kind: 'postman_key', pattern: 'PMAK-{h24}-{h34}' },
  { kind: 'onepassword_key', pattern: 'A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}' },
  { kind: 'onepassword_token', pattern: 'ops_eyJ{b300}' },
  { kind: 'bridlewise_token', pattern: 'bw_{u43}' },
  { kind: 'age_key', pattern: 'AGE-SECRET-KEY-1{U58}' },
  { kind: 'wireguard_key', name: 'PrivateKey = ', pattern: '{b43}=' },
  { kind: 'private_key', name: 'client-key-data: ', pattern: '{b400}' },
  { kind: 'url_password', name: 'amqp://app:', pattern: '{a20}', rest: '@queue.test' },
  { kind: 'authorization', name: 'Authorization: Bearer ', pattern: '{u40}' },
  { kind: 'authorization', name: 'Authorization: token ', pattern: '{a40}' },
  { kind: 'cookie', name: 'Cookie: ', pattern: 'session={u40}', takesSigns: true },
  { kind: 'cookie', name: 'Set-Cookie: sid=', pattern: '{u40}', rest: '; HttpOnly' },
  { kind: 'netrc_password', name: 'machine api.test login me password ', pattern: '{a20}', takesSigns: true },
  { kind: 'curl_password', name: 'curl -s -u me:', pattern: '{a20}', rest: ' https://api.test' },
  { kind: 'named_secret', name: 'x-api-key: ', pattern: '{a32}' },
  { kind: 'named_secret', name: 'DB_PASSWORD=', pattern: '{a16}', takesSigns: true },
  { kind: 'named_secret', name: "clientSecret: '", pattern: '{a24}', rest: "'" },
  { kind: 'named_secret', name: 'refresh_token=', pattern: '{a24}' },
  { kind: 'named_secret', name: 'credentials[:signing_key] = "', pattern: '{h32}', rest: '"' },
]

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

describe.each(samples)('$kind, $pattern', ({ kind, pattern, name = '', rest = '', takesSigns }) => {
  test('is found in everything it can be wrapped in', () => {
    for (const [wrapping, wrap] of Object.entries(wrappers)) {
      // A name and value with quotes of their own do not stand inside the quotes of something else.
      if (/["']/.test(rest) && /["']/.test(wrap('').join(''))) continue
      if (takesSigns && /^[&,]/.test(wrap('')[1])) continue
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
