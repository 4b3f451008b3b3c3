/** Values by the name they are given: `DB_PASSWORD=…`, `"apiKey": "…"`, `client_secret: …`. The last resort, with the most guards. */
import type { Format, Found } from '../format.ts'
import { isIdentifier, isMixed, isReference, isStopWord, measureEntropy } from '../guards.ts'

/** A name counts when it ends in one of these; `secret_name`, `password_file` and `tokenize` do not. */
const words = ['password', 'passwd', 'passphrase', 'pwd', 'secret', 'apikey', 'token', 'credential']
const keyWords = ['api', 'signing', 'encryption', 'private', 'secret', 'access', 'master']
const endings = [...words, ...keyWords.flatMap((word) => [`${word}_key`, `${word}-key`, `${word}key`])]

export const assignmentFormats: readonly Format[] = [
  { kind: 'named_secret', rank: 'guessed', anchors: [...new Set(endings)], edge: 'any', seek: seekAssignment },
]

const minLength = 8
/** A bare `token` names all kinds of things, so its value must look like one. */
const minTokenLength = 16
const minEntropy = { code: 3, parameter: 2.5, quoted: 2.5, environment: 2.5, token: 3.5 }

const opening = new RegExp(
  `(?<ending>${endings.join('|')})["'\`]?\\]?\\s{0,8}(?<sign>=>|:=|={1,3}|:)\\s{0,8}(?<quote>["'\`]?)`,
  'iy',
)
/** Values are judged by their beginning; of one that is secret the rest goes with it. */
const judgedLength = 256
const insideQuotes = { '"': /[^"\r\n]{0,256}/y, "'": /[^'\r\n]{0,256}/y, '`': /[^`\r\n]{0,256}/y }
/** An ampersand belongs to the value unless the next parameter of a query begins with it. */
const bareInCode = /(?:[^\s"'`<>(){}[\],;&]|&(?![A-Za-z0-9_.-]{1,40}=)){0,256}/y
const bareInEnvironment = /(?:[^\s"'`<]|<(?!\/)){0,256}/y
const rest = /[^\s"'`<]{0,8192}/y
/** The first part of the name of an environment variable. */
const upperName = /(?<![a-z0-9_])[A-Z0-9_]{0,64}$/

interface Value extends Found {
  readonly text: string
  readonly style: 'quoted' | 'code' | 'parameter' | 'environment'
}

function seekAssignment(text: string, at: number): Found | null {
  opening.lastIndex = at
  const match = opening.exec(text)
  if (match === null) return null
  const { ending: name = '', sign = '', quote = '' } = match.groups ?? {}
  const ending = name.toLowerCase()
  // A comparison with a name tells nothing; one with a text in quotes may.
  if (sign.startsWith('==') && quote === '') return null
  const isTight = sign === '=' && !/\s/.test(match[0])
  const isVariable = isTight && name === name.toUpperCase() && upperName.test(text.slice(Math.max(0, at - 80), at))
  const bare = isVariable ? 'environment' : isTight ? 'parameter' : 'code'
  const value = readValue(text, { from: at + match[0].length, quote, bare })
  if (value === null || !isSecret(value)) return null
  if (ending === 'pwd' && value.text.startsWith('/')) return null
  if (ending === 'token' && !/[A-Za-z0-9_-]/.test(text.charAt(at - 1)) && !isTokenLike(value.text)) return null
  return { start: value.start, end: value.text.length < judgedLength ? value.end : endOf(rest, text, value.end) }
}

interface Place {
  readonly from: number
  readonly quote: string
  /** How the value is read when it has no quotes. */
  readonly bare: Exclude<Value['style'], 'quoted'>
}

function readValue(text: string, { from, quote, bare: style }: Place): Value | null {
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = endOf(insideQuotes[quote], text, from)
    if (text[end] !== quote && end - from < judgedLength) return null
    return { start: from, end, text: text.slice(from, end), style: 'quoted' }
  }
  const end = endOf(style === 'environment' ? bareInEnvironment : bareInCode, text, from)
  // What goes on like this is an expression: a call, an index, a template.
  if (/^(?:[([{]|<[^/])/.test(text.slice(end, end + 2))) return null
  const bare = text.slice(from, end).replace(/[.:;,]{1,8}$/, '')
  return { start: from, end: from + bare.length, text: bare, style }
}

function isSecret({ text, style }: Value): boolean {
  if (text.length < minLength || !(style === 'environment' ? isIrregular(text) : isMixed(text))) return false
  if (/\s/.test(text) || isStopWord(text) || isReference(text)) return false
  if (style === 'code' && isIdentifier(text)) return false
  // `password=hunter2abc` in a query and `token=oauth2Token` in a call look alike but for the joints of a name.
  if (style === 'parameter' && isIdentifier(text) && /[a-z][A-Z]|[_.]/.test(text)) return false
  return measureEntropy(text) >= minEntropy[style]
}

/** More than a word in one case: what is set as a password in an environment is one, even when it could be a name. */
function isIrregular(value: string): boolean {
  return isMixed(value) || (/[a-z]/.test(value) && /[^a-z_.-]/.test(value))
}

function isTokenLike(value: string): boolean {
  return value.length >= minTokenLength && measureEntropy(value) >= minEntropy.token
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
