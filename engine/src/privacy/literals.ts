/** Stored secrets, matched letter for letter, also in the encodings in which they travel. */
import { compileAlternatives } from './format.ts'
import type { Reading } from './shadow.ts'
import type { Span } from './span.ts'

interface LiteralKind {
  readonly kind: string
  /** A shorter one is not looked for: it would be found all over ordinary text. */
  readonly minLength: number
  /** What is left where it stands although it is long enough. */
  readonly isLeft: (secret: string) => boolean
}

const storedSecrets: LiteralKind = { kind: 'stored_secret', minLength: 8, isLeft: isCommon }

/** Words that somebody may well have stored as a password. Replacing them everywhere would destroy texts and protect nothing. */
const commonWords = new Set(
  'administrator anonymous assistant changeme database default development disabled function interface localhost password passw0rd password1 postgres postgresql production undefined username'.split(
    ' ',
  ),
)

/**
 * A function that finds the given secrets in a text.
 *
 * Contract: each form of each secret is found wherever it stands, also where it overlaps another.
 */
export function compileLiterals(
  secrets: readonly string[],
  { kind, minLength, isLeft }: LiteralKind = storedSecrets,
): (reading: Reading) => Span[] {
  const usable = secrets.filter((secret) => secret.length >= minLength && !isLeft(secret))
  const forms = [...new Set(usable.flatMap(listForms))].filter((form) => form.length >= minLength)
  if (forms.length === 0) return () => []
  // Of several that begin at one place the longest is tried first.
  const pattern = new RegExp(compileAlternatives(forms.sort((a, b) => b.length - a.length)), 'g')
  return ({ text, sourceOf }) => {
    const spans: Span[] = []
    pattern.lastIndex = 0
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      spans.push({ ...sourceOf(hit.index, hit.index + hit[0].length), kind, rank: 'stored' })
      pattern.lastIndex = hit.index + 1
    }
    return spans
  }
}

function isCommon(secret: string): boolean {
  return commonWords.has(secret.toLowerCase()) || /^(.)\1+$/s.test(secret)
}

/** As it is, in a URL, in a JSON string, in hex, and in base64 at each of the three places a byte can have there. */
function listForms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const hex = bytes.toString('hex')
  const encoded = [0, 1, 2].flatMap((shift) => [encodeShifted(bytes, shift, 'base64'), encodeShifted(bytes, shift, 'base64url')])
  const url = encodeURIComponent(secret.toWellFormed())
  return [secret, url, url.replaceAll('%20', '+'), JSON.stringify(secret).slice(1, -1), hex, hex.toUpperCase(), ...encoded]
}

/** The characters that depend on the secret alone when `shift` other bytes stand before it. */
function encodeShifted(bytes: Uint8Array, shift: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(encoding)
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
}
