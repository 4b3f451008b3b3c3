/** What merely looks like a secret stays: a model that is shown changed code writes the change back. */
import { describe, expect, test } from 'vitest'
import { createRedactor, createStreamRedactor } from './index.ts'

const settings = { salt: 'a salt for this test only' }
const redactor = createRedactor(settings)

/** Hex digits of a fixed generator, so that a test does not depend on luck. */
function hex(length: number): string {
  let state = 987_654_321
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647
    return (state % 16).toString(16)
  }).join('')
}

const encode = (text: string) => Buffer.from(text).toString('base64')

describe('what looks like a secret and is none', () => {
  test.each([
    ['a public key in a name', 'public_key: loadPublicKey2048()'],
    ['a monkey', 'const monkey = "capuchin-2024-monkey"'],
    ['a keyword', 'keyword: "async1function2await"'],
    ['a primary key', 'primary_key = "user_id_2_column"'],
    ['an API version', 'api_version: "2024-01-15-preview"'],
    ['the name of a secret', 'secret_name: "prod-db-credentials-v2"'],
    ['an API group', 'apiGroup: rbac.authorization.k8s.io'],
    ['a sentence about passwords', 'Invalid "username/password combination."'],
    ['a label', '"password": "Password must have 8 characters"'],
    ['an id of 32 hex digits', `tokenizationId: ${hex(32)}`],
    ['an interface', 'class OrderServiceApi implements IOrderServiceV2Api {}'],
    ['something redacted already', 'password: "[Redacted]"'],
    ['a lock file', `integrity="sha512-${Buffer.from(hex(64)).toString('base64')}"`],
    ['a path to a secret', 'DB_PASSWORD_FILE=/run/secrets/db_password_1'],
    ['a path as a token', 'TOKEN=/var/run/secrets/kubernetes.io/token1'],
    ['a long identifier', 'const token = await resolveOauth2AccessTokenForTenantConfiguration'],
    ['a commit', `commit ${hex(40)}`],
    ['an image', `FROM node@sha256:${hex(64)}`],
    ['a UUID', 'id: 123e4567-e89b-12d3-a456-426614174000'],
    ['an ETag', `ETag: "${hex(32)}"`],
    ['a hash with 0x', `0x${hex(64)}`],
    ['a data URI', `data:image/png;base64,${Buffer.from(hex(90)).toString('base64')}`],
    ['a public SSH key', `ssh-rsa AAAAB3NzaC1yc2E${Buffer.from(hex(120)).toString('base64')} me@host`],
    ['a certificate', `-----BEGIN CERTIFICATE-----\n${Buffer.from(hex(96)).toString('base64')}\n-----END CERTIFICATE-----`],
    ['a public key block', `-----BEGIN PUBLIC KEY-----\n${Buffer.from(hex(96)).toString('base64')}\n-----END PUBLIC KEY-----`],
    ['code about private keys', "if (pem.includes('-----BEGIN PRIVATE KEY-----')) return '-----END PRIVATE KEY-----'"],
    ['an environment lookup', 'const apiKey = process.env.OPENAI_API_KEY_2'],
    ['a Python lookup', 'api_key = os.environ["OPENAI_API_KEY_2"]'],
    ['a call', 'password = generatePassword16()'],
    ['a template', `password: $${'{DB_PASSWORD_1}'}`],
    ['a mustache', 'secret: "{{ vault.secret1 }}"'],
    ['a hint in angle brackets', 'Authorization: Bearer <your-token-1>'],
    ['a shell variable', 'curl -H "Authorization: Bearer $GITHUB_TOKEN_1" https://api.test'],
    ['a mask', 'api_key: "****************"'],
    ['an example key of a vendor', ['AKIA', 'IOSFODNN7', 'EXAMPLE'].join('')],
    ['a package', 'import sklearn from "sk-learn-python-package-for-machine-learning"'],
    ['a function of a hub', 'hf_hub_download(repo_id="org/model-7b", filename="config.json")'],
    ['a setting of a package manager', 'npm_config_registry=https://registry.test npm_lifecycle_event=test1'],
    ['a npmrc with a variable', `//registry.test/:_authToken=$${'{NPM_TOKEN}'}`],
    ['a publishable key', ['pk', 'live', hex(32)].join('_')],
    ['a fake that says so', 'xoxb-fake'],
    ['an account id', `AC${hex(32)}`],
    ['a user in a URL', 'ssh://git@host.test/repo and git@host.test:org/repo and ftp://user@host.test'],
    ['a port in a URL', 'http://localhost:3000/@vite/client'],
    ['a beginning of a token', 'a JWT starts with eyJ, which is {" in base64'],
    ['a version with dots', 'MTIzNDU2Nzg5MDEyMzQ1.release.candidate-number-twenty-seven'],
    ['a time and AA', '12:34:56:AA and port 8080:AAAA'],
    ['a public age key', `age1${'q'.repeat(58)}`],
    ['a type', 'interface Options { password: string; token: AccessTokenV2; apiKey?: OptionalString2 }'],
    ['a comparison with a member', 'if (next.token === Token2.DblRBracket) {}'],
    ['a word in an environment', 'API_TOKEN=placeholder-token SECRET=development'],
    ['a PEM in base64 that is public', encode('-----BEGIN CERTIFICATE-----\nMIIB')],
    ['a public key in base64', encode(`-----BEGIN PUBLIC KEY-----\n${hex(64)}`)],
    ['a Square id', 'SQUARE_LOCATION=EAAAsquare'],
    ['a type annotation', 'function login(password: string | undefined, token?: Promise<string>) {}'],
    ['a percent variable', 'password=%DB_PASSWORD_2%'],
    ['a null', '"api_key": null, "password": true, "token": "string"'],
    ['an anonymous Supabase key', ['sb', 'publishable', hex(31)].join('_')],
    ['a comparison', 'if (token === previousToken2 && secret == otherSecret1) {}'],
  ])('%s stays', (_name, text) => {
    expect(redactor.redact(text)).toEqual({ text, counts: {} })
    const stream = createStreamRedactor(settings)
    expect([...text].map((piece) => stream.push(piece)).join('') + stream.end()).toBe(text)
  })
})

test('a word inside a long random value does not save it', () => {
  const value = `${hex(28)}hook${hex(28)}A1`
  expect(redactor.redact(`password = "${value}"`).counts).toEqual({ named_secret: 1 })
})
