/** A made-up secret of every format there is, as prefix and random characters: what tests look for. Nothing here is, or looks whole like, a real one. */

export interface Sample {
  readonly kind: string
  readonly pattern: string
  /** What must stand before and after it. */
  readonly name?: string
  readonly rest?: string
  /** Signs may belong to it, so that it takes along what follows in a query or a row. */
  readonly takesSigns?: true
  /** It has several lines, which not everything can be wrapped around. */
  readonly lines?: true
}

/**
 * Fill in a pattern: `ghp_{a36}` is the prefix and 36 alphanumeric characters, of which the last is never a sign.
 *
 * Contract: the same `seed` makes the same secret, so that a test does not depend on luck.
 */
export function makeSecret(pattern: string, seed = 20_240_117): string {
  let state = seed
  // The generator of Park and Miller.
  const pick = (characters: string) => {
    state = (state * 48_271) % 2_147_483_647
    return characters.charAt(state % characters.length)
  }
  return pattern.replaceAll(/\{(\w)(\d+)\}/g, (_, name: string, count: string) => {
    const body = Array.from({ length: Number(count) - 1 }, () => pick(classes[name] ?? ''))
    return body.join('') + pick((classes[name] ?? '').replaceAll(/[^A-Za-z0-9]/g, ''))
  })
}

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

const encode = (text: string) => Buffer.from(text).toString('base64')
const makeDiscordId = (digit: string) => encode(`${digit}23456789012345678`).replace(/=+$/, '')
const discordId = makeDiscordId('1')
const dockerLogin = encode(`robot:${makeSecret('{a20}', 5)}`)
const basicLogin = encode(`me:${makeSecret('{a21}', 6)}`)
const signedHeader = encode('{"alg":"HS256","typ":"JWT"}').replace(/=+$/, '')
const rows = '{b64}\n{b64}'
const encodedKey = encode(makeSecret(`-----BEGIN RSA PRIVATE KEY-----\n${rows}\n-----END RSA PRIVATE KEY-----\n`))
const keyOwners = ['api', 'signing', 'encryption', 'private', 'secret', 'access', 'master']
const namedEndings = [
  ...['password', 'passwd', 'passphrase', 'pwd', 'secret', 'access_token', 'auth_token', 'refresh_token', 'credential'],
  ...keyOwners.flatMap((owner) => [`${owner}_key`, `${owner}-key`, `${owner}Key`]),
]
const guid = '{h8}-{h4}-{h4}-{h4}-{h12}'

export const samples: readonly Sample[] = [
  { kind: 'aws_access_key', pattern: 'AKIA{A16}' },
  { kind: 'aws_access_key', pattern: 'ASIA{A16}' },
  { kind: 'aws_access_key', pattern: 'ABIA{A16}' },
  { kind: 'aws_access_key', pattern: 'ACCA{A16}' },
  { kind: 'aws_secret_key', name: 'aws_secret_access_key = ', pattern: '{b40}' },
  { kind: 'aws_secret_key', name: 'SecretAccessKey: ', pattern: '{b40}' },
  { kind: 'aws_session_token', name: 'aws_session_token=', pattern: '{b200}' },
  { kind: 'aws_session_token', name: 'SessionToken: ', pattern: '{b200}' },
  { kind: 'google_api_key', pattern: 'AIza{u35}' },
  { kind: 'google_oauth_token', pattern: 'ya29.{u120}' },
  { kind: 'google_client_secret', pattern: 'GOCSPX-{u28}' },
  { kind: 'azure_client_secret', pattern: '{a3}8Q~{a34}' },
  { kind: 'azure_storage_key', name: 'DefaultEndpointsProtocol=https;AccountKey=', pattern: '{b86}==' },
  { kind: 'azure_signature', name: 'https://x.test/c?sv=1&sig=', pattern: '{a43}%3D' },
  { kind: 'openai_key', pattern: 'sk-{a20}T3BlbkFJ{a20}' },
  { kind: 'openai_key', pattern: 'sk-proj-{u120}' },
  { kind: 'openai_key', pattern: 'sk-svcacct-{u60}' },
  { kind: 'openai_key', pattern: 'sk-admin-{u120}' },
  { kind: 'anthropic_key', pattern: 'sk-ant-api03-{u95}' },
  ...['admin01', 'sid01', 'oat01'].map((part) => ({ kind: 'anthropic_key', pattern: `sk-ant-${part}-{u95}` })),
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
  ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((prefix) => ({ kind: 'github_token', pattern: `${prefix}_{a36}` })),
  { kind: 'github_token', pattern: 'github_pat_{a22}_{a59}' },
  ...['glpat', 'gldt', 'glrt', 'glptt', 'glft', 'glimt', 'glagent', 'gloas', 'glcbt', 'glsoat', 'glffct'].map((prefix) => ({
    kind: 'gitlab_token',
    pattern: `${prefix}-{u20}`,
  })),
  { kind: 'bitbucket_password', pattern: 'ATBB{a32}' },
  { kind: 'atlassian_token', pattern: 'ATATT3{u186}' },
  { kind: 'npm_token', pattern: 'npm_{a36}' },
  { kind: 'npm_token', name: '//registry.test/:_authToken=', pattern: '{a40}' },
  { kind: 'pypi_token', pattern: 'pypi-AgE{u150}' },
  { kind: 'rubygems_key', pattern: 'rubygems_{h48}' },
  { kind: 'crates_token', pattern: 'cio{a32}' },
  { kind: 'docker_token', pattern: 'dckr_pat_{u27}' },
  { kind: 'docker_token', pattern: 'dckr_oat_{u32}' },
  { kind: 'docker_login', name: '"auth": "', pattern: dockerLogin, rest: '"' },
  ...[...'abcposr'].map((letter) => ({ kind: 'slack_token', pattern: `xox${letter}-{d12}-{d12}-{a24}` })),
  { kind: 'slack_token', pattern: 'xoxe.xoxp-1-{a146}' },
  { kind: 'slack_token', pattern: 'xoxd-{a60}%2F{a40}%3D' },
  { kind: 'slack_token', pattern: 'xapp-1-A{U10}-{d13}-{h64}' },
  { kind: 'slack_webhook', name: 'https://hooks.slack.com/services/', pattern: 'T{U8}/B{U8}/{a24}' },
  { kind: 'discord_token', pattern: `${discordId}.{u6}.{u38}` },
  ...[...'123456789'].map((digit) => ({ kind: 'discord_token', pattern: `${makeDiscordId(digit)}.{u6}.{u27}` })),
  { kind: 'discord_webhook', name: 'https://discord.com/api/webhooks/123456789012345678/', pattern: '{u68}' },
  { kind: 'discord_webhook', name: 'https://discordapp.com/api/v10/webhooks/123456789012345678/', pattern: '{u68}' },
  { kind: 'telegram_token', pattern: '{d9}:AA{u33}' },
  { kind: 'teams_webhook', name: 'https://x.test/webhookb2/', pattern: `${guid}@${guid}/IncomingWebhook/{h32}/${guid}` },
  ...['live', 'test', 'prod'].flatMap((mode) => [
    { kind: 'stripe_key', pattern: `sk_${mode}_{a24}` },
    { kind: 'stripe_key', pattern: `rk_${mode}_{a99}` },
  ]),
  { kind: 'webhook_secret', pattern: 'whsec_{a32}' },
  { kind: 'twilio_key', pattern: 'SK{h32}' },
  { kind: 'sendgrid_key', pattern: 'SG.{u22}.{u43}' },
  { kind: 'mailgun_key', pattern: 'key-{h32}' },
  { kind: 'mailchimp_key', pattern: '{h32}-us12' },
  ...['shpat', 'shpca', 'shppa', 'shpss'].map((prefix) => ({ kind: 'shopify_token', pattern: `${prefix}_{h32}` })),
  { kind: 'square_token', pattern: 'sq0atp-{u22}' },
  { kind: 'square_token', pattern: 'sq0csp-{u43}' },
  { kind: 'square_token', name: 'SQUARE_ACCESS_TOKEN=', pattern: 'EAAA{u60}', takesSigns: true },
  ...['dop', 'doo', 'dor'].map((prefix) => ({ kind: 'digitalocean_token', pattern: `${prefix}_v1_{h64}` })),
  { kind: 'cloudflare_token', name: 'CLOUDFLARE_API_TOKEN: ', pattern: '{a40}' },
  { kind: 'cloudflare_token', name: 'CF_API_KEY=', pattern: '{h37}', takesSigns: true },
  { kind: 'cloudflare_origin_key', pattern: 'v1.0-{h24}-{h146}' },
  { kind: 'fly_token', pattern: 'fo1_{u43}' },
  { kind: 'fly_token', pattern: 'fm2_{b160}' },
  ...['fm1', 'fm1r', 'fm1a'].map((prefix) => ({ kind: 'fly_token', pattern: `${prefix}_{b160}` })),
  { kind: 'vercel_token', name: 'vercel_token=', pattern: '{a24}' },
  { kind: 'netlify_token', name: 'netlifyAuth: "', pattern: '{a43}', rest: '"' },
  { kind: 'supabase_key', pattern: 'sbp_{h40}' },
  { kind: 'supabase_key', pattern: 'sb_secret_{u31}' },
  ...['tkn', 'oauth', 'pw'].map((part) => ({ kind: 'planetscale_key', pattern: `pscale_${part}_{a43}` })),
  { kind: 'databricks_token', pattern: 'dapi{h32}-2' },
  ...['hvs', 'hvb', 'hvr'].map((prefix) => ({ kind: 'vault_token', pattern: `${prefix}.{u95}` })),
  { kind: 'terraform_token', pattern: '{a14}.atlasv1.{u67}' },
  { kind: 'pulumi_token', pattern: 'pul-{h40}' },
  { kind: 'grafana_token', pattern: 'glsa_{a32}_{h8}' },
  { kind: 'grafana_token', pattern: 'glc_{b120}' },
  { kind: 'sentry_token', pattern: 'sntrys_{b120}' },
  { kind: 'sentry_token', pattern: 'sntryu_{h64}' },
  { kind: 'newrelic_key', pattern: 'NRAK-{U27}' },
  { kind: 'newrelic_key', pattern: 'NRII-{a32}' },
  { kind: 'newrelic_key', pattern: '{h36}NRAL' },
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
  { kind: 'private_key', name: '"client-key-data": "', pattern: '{b400}', rest: '"' },
  { kind: 'private_key', name: 'tls.key: ', pattern: encodedKey },
  { kind: 'private_key', pattern: `-----BEGIN PRIVATE KEY-----\n${rows}\n-----END PRIVATE KEY-----`, lines: true },
  {
    kind: 'private_key',
    pattern: `-----BEGIN OPENSSH PRIVATE KEY-----\n${rows}\n-----END OPENSSH PRIVATE KEY-----`,
    lines: true,
  },
  {
    kind: 'private_key',
    pattern: `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${rows}\n-----END PGP PRIVATE KEY BLOCK-----`,
    lines: true,
  },
  {
    kind: 'private_key',
    pattern: `-----BEGIN EC PRIVATE KEY-----\\n${rows.replaceAll('\n', '\\n')}\\n-----END EC PRIVATE KEY-----`,
  },
  { kind: 'private_key', name: 'Private-Lines: 2', pattern: `\n${rows}`, lines: true },
  { kind: 'jwt', pattern: `${signedHeader}.eyJ{u60}.{u43}` },
  { kind: 'url_password', name: 'amqp://app:', pattern: '{a20}', rest: '@queue.test' },
  ...['postgres', 'mysql', 'mongodb+srv', 'redis', 'https'].map((scheme) => ({
    kind: 'url_password',
    name: `${scheme}://app:`,
    pattern: '{a20}',
    rest: '@db.test:5432/app',
  })),
  { kind: 'authorization', name: 'Authorization: Bearer ', pattern: '{u40}' },
  { kind: 'authorization', name: 'Authorization: token ', pattern: '{a40}' },
  { kind: 'cookie', name: 'Cookie: ', pattern: 'session={u40}', takesSigns: true },
  { kind: 'cookie', name: 'Set-Cookie: sid=', pattern: '{u40}', rest: '; HttpOnly' },
  { kind: 'authorization', name: 'Proxy-Authorization: Basic ', pattern: basicLogin },
  { kind: 'authorization', name: 'the header is Bearer ', pattern: '{u40}' },
  { kind: 'authorization', name: 'the header is Basic ', pattern: basicLogin },
  { kind: 'netrc_password', name: 'machine api.test login me password ', pattern: '{a20}', takesSigns: true },
  { kind: 'curl_password', name: 'curl -s -u me:', pattern: '{a20}', rest: ' https://api.test' },
  { kind: 'named_secret', name: 'x-api-key: ', pattern: '{a32}' },
  { kind: 'named_secret', name: 'DB_PASSWORD=', pattern: '{a16}', takesSigns: true },
  { kind: 'named_secret', name: "clientSecret: '", pattern: '{a24}', rest: "'" },
  ...namedEndings.map((ending) => ({ kind: 'named_secret', name: `app_${ending}=`, pattern: '{a24}' })),
  { kind: 'named_secret', name: 'credentials[:signing_key] = "', pattern: '{h32}', rest: '"' },
]
