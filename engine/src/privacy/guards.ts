/** Guards: what looks like a secret and is not one. Each takes whole values, never parts of them. */

/** Values that stand for a secret in documentation and types. A real one that merely contains such a word does not count. */
const stopWords = new Set(
  'null none true false undefined string number boolean required optional redacted hidden masked empty secret password passwd pass pwd token apikey api_key changeme change_me changeit placeholder example user username admin root guest test foobar'.split(
    ' ',
  ),
)

/** Words that begin an instruction to the reader: `your-api-key`, `<insert here>`. */
const instruction = /^(?:your|insert|enter|replace|example|dummy|placeholder|todo)[-_ .]/i

export function isStopWord(value: string): boolean {
  return stopWords.has(value.toLowerCase())
}

/** Whether a value says where the secret comes from instead of being it: a variable, a call, a template, a path, a mask. */
export function isReference(value: string): boolean {
  if (/^\W?(?:redacted|hidden|masked|filtered)\W?$/i.test(value)) return true
  if (value.includes('${') || value.includes('{{') || value.includes('$(') || value.startsWith('$')) return true
  if (/^<.{0,200}>$/.test(value) || /^%\w{1,80}%$/.test(value) || /^\{.{0,200}\}$/.test(value)) return true
  if (
    /^(?:process\.env|import\.meta|os\.environ|os\.getenv|getenv|env|ENV|secrets|vars|config|settings|self|this)\b[.([]/.test(
      value,
    )
  )
    return true
  if (/^[A-Za-z_$][\w$.]{0,100}\(/.test(value)) return true
  if (/^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|urn:)/i.test(value)) return true
  if (/^[~.]{0,2}\/[a-z0-9_./-]{0,400}$/.test(value)) return true
  if (/^[*x.•_#-]{4,400}$/i.test(value) || /^(.)\1{3,400}$/.test(value)) return true
  return instruction.test(value) && !/\d/.test(value)
}

/** Letters and digits together: words and names are seldom so. */
export function isMixed(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value)
}

/** Whether a text is a user and a password, as in a Basic header or a Docker login. */
export function isLogin(value: string): boolean {
  return /^[\x20-\x7e]{1,400}$/.test(value) && value.includes(':')
}

/** Whether an unquoted value in code is the name of something: `oauth2TokenProvider`, `config.auth.sha256`. */
export function isIdentifier(value: string): boolean {
  if (!/^[A-Za-z_$][\w$]{0,100}(?:\??\.[A-Za-z_$][\w$]{0,100}){0,10}$/.test(value)) return false
  return /[a-z]{3}/.test(value) && !/\d{4}/.test(value) && measureParts(value) >= minPartLength
}

/** Both cases, in scraps: a random text in which there happens to be no digit. */
export function isScrambled(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && measureParts(value) < minPartLength
}

/** The parts of a name are words; those of a random text are scraps. */
const minPartLength = 3.2

/** The average length of what capitals and digits divide a text into. */
function measureParts(value: string): number {
  const parts = value.match(/[A-Z]{0,1}[a-z]{1,100}|[A-Z]{1,100}|\d{1,100}/g) ?? []
  return parts.reduce((sum, part) => sum + part.length, 0) / Math.max(1, parts.length)
}

/** Bits a character, after Shannon. */
export function measureEntropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
