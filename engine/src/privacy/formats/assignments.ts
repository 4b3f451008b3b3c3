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
const minEntropy = { code: 3, quoted: 2.5, environment: 2.5, token: 3.5 }

const opening = new RegExp(`(?<ending>${endings.join('|')})["'\`]?\\]?\\s{0,8}(?:=>|:=|={1,3}|:)\\s{0,8}(?<quote>["'\`]?)`, 'iy')
const insideQuotes = { '"': /[^"\r\n]{0,4096}/y, "'": /[^'\r\n]{0,4096}/y, '`': /[^`\r\n]{0,4096}/y }
/** An ampersand belongs to the value unless the next parameter of a query begins with it. */
const bareInCode = /(?:[^\s"'`<>(){}[\],;&]|&(?![A-Za-z0-9_.-]{1,40}=)){0,4096}/y
const bareInEnvironment = /[^\s"'`]{0,4096}/y
/** From the start of its line, nothing but an upper-case name comes before: the line of an environment file. */
const environmentLine = /(?:^|[\r\n])[+\- ]{0,8}(?:export\s{1,4})?[A-Z0-9_]{0,64}$/

interface Value extends Found {
  readonly text: string
  readonly style: 'quoted' | 'code' | 'environment'
}

function seekAssignment(text: string, at: number): Found | null {
  opening.lastIndex = at
  const match = opening.exec(text)
  if (match === null) return null
  const ending = match.groups?.['ending']?.toLowerCase() ?? ''
  const value = readValue(text, at, { from: at + match[0].length, quote: match.groups?.['quote'] ?? '' })
  if (value === null || !isSecret(value)) return null
  if (ending === 'pwd' && value.text.startsWith('/')) return null
  if (ending === 'token' && !/[A-Za-z0-9_-]/.test(text.charAt(at - 1)) && !isTokenLike(value.text)) return null
  return { start: value.start, end: value.end }
}

function readValue(text: string, at: number, { from, quote }: { from: number; quote: string }): Value | null {
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = endOf(insideQuotes[quote], text, from)
    return text[end] === quote ? { start: from, end, text: text.slice(from, end), style: 'quoted' } : null
  }
  const isLine = environmentLine.test(text.slice(Math.max(0, at - 80), at))
  const end = endOf(isLine ? bareInEnvironment : bareInCode, text, from)
  // What goes on like this is an expression: a call, an index, a template.
  if ('([{'.includes(text[end] ?? ' ')) return null
  const bare = text.slice(from, end).replace(/[.:;,]{1,8}$/, '')
  return { start: from, end: from + bare.length, text: bare, style: isLine ? 'environment' : 'code' }
}

function isSecret({ text, style }: Value): boolean {
  if (text.length < minLength || /\s/.test(text) || isStopWord(text) || isReference(text) || !isMixed(text)) return false
  if (style === 'code' && isIdentifier(text)) return false
  return measureEntropy(text) >= minEntropy[style]
}

function isTokenLike(value: string): boolean {
  return value.length >= minTokenLength && measureEntropy(value) >= minEntropy.token
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
