/** Secrets by where they stand: signed tokens, URLs, headers, and logins on a command line. */
import { type Format, shaped } from '../format.ts'
import { isLogin, isMixed, isReference, isStopWord } from '../guards.ts'

const schemes = '(?:bearer|token|apikey|digest|negotiate|aws4-hmac-sha256)'

export const loginFormats: readonly Format[] = [
  shaped({
    kind: 'jwt',
    anchors: ['eyj'],
    shape:
      /(?<![A-Za-z0-9_]|[^\r\n]-)eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{16,1400}(?![A-Za-z0-9_-])/,
    guard: hasSignedHeader,
  }),
  shaped({
    kind: 'url_password',
    anchors: ['://'],
    edge: 'any',
    shape: /:\/\/[^\s/:@"'`<>\\]{0,128}:(?<secret>[^\s/"'`<>\\]{3,400})@(?=[A-Za-z0-9[])/,
    guard: (secret) => !isReference(secret) && !isStopWord(secret),
  }),
  shaped({
    kind: 'authorization',
    anchors: ['authorization'],
    edge: 'any',
    shape: new RegExp(
      `authorization["'\`]?\\]?\\s{0,8}[:=,]\\s{0,8}["'\`]?(?:${schemes}\\s{1,8})?(?<secret>[A-Za-z0-9+/=_.~-]{8,8000}(?::[A-Za-z0-9+/=_.~-]{1,1000})?)`,
      'i',
    ),
    guard: (secret) => isMixed(secret) && !isReference(secret),
  }),
  shaped({
    kind: 'authorization',
    anchors: ['basic '],
    shape: /basic\s{1,4}(?<secret>[A-Za-z0-9+/]{8,4000}={0,2})(?![A-Za-z0-9+/=])/i,
    guard: (secret) => isLogin(Buffer.from(secret, 'base64').toString('latin1')),
  }),
  shaped({
    kind: 'authorization',
    anchors: ['bearer '],
    shape: /bearer\s{1,4}(?<secret>[A-Za-z0-9+/=_.~-]{16,8000})/i,
    guard: (secret) => isMixed(secret) && !isReference(secret),
  }),
  shaped({
    kind: 'cookie',
    anchors: ['cookie'],
    edge: 'any',
    shape:
      /(?<!set-)cookie["'`]?\s{0,4}:\s{0,4}["'`]?(?<secret>[\w.-]{1,64}=[^;\s"'`<>$]{8,4096}(?:;\s{0,2}[\w.-]{1,64}=[^;\s"'`<>$]{1,4096}){0,40})/i,
    guard: isMixed,
  }),
  shaped({
    kind: 'cookie',
    anchors: ['set-cookie'],
    edge: 'any',
    shape: /set-cookie["'`]?\s{0,4}[:,]\s{0,4}["'`]?[\w.-]{1,64}=(?<secret>[^;\s"'`<>$]{8,4096})/i,
    guard: isMixed,
  }),
  shaped({
    kind: 'netrc_password',
    anchors: ['machine '],
    shape: /machine\s{1,8}\S{1,255}\s{1,16}login\s{1,8}\S{1,255}\s{1,16}password\s{1,8}(?<secret>[^\s"'`<>$]{3,256})/,
    guard: (secret) => !isReference(secret) && !isStopWord(secret),
  }),
  shaped({
    kind: 'curl_password',
    anchors: ['curl '],
    shape: /curl\s[^\r\n]{0,120}?\s(?:-u|--user)[\s=]{0,2}["']?[^\s:"'$]{1,100}:(?<secret>[^\s"'$<>]{3,200})/,
    guard: (secret) => !isReference(secret) && !isStopWord(secret),
  }),
]

/** The first part of a signed token is the JSON of its header. */
function hasSignedHeader(secret: string): boolean {
  const header = Buffer.from(secret.slice(0, secret.indexOf('.')), 'base64url').toString('utf8')
  return header.startsWith('{') && header.includes('"alg"')
}
