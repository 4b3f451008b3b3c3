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
  if (/^\W?(?:redacted|hidden|masked|filtered)\W?$/i.test(value) || /^\[redacted[^\]]{0,60}\]$/i.test(value)) return true
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

/** Letters and digits together, or letters in scraps: words and names are seldom so, random texts nearly always. */
export function isMixed(value: string): boolean {
  return /[A-Za-z]/.test(value) && (/\d/.test(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value) && !isWordy(value)))
}

/** Whether a text is a user and a password, as in a Basic header or a Docker login. */
export function isLogin(value: string): boolean {
  return /^[\x20-\x7e]{1,400}$/.test(value) && value.includes(':')
}

/** Whether an unquoted value in code is the name of something: `oauth2TokenProvider`, `config.auth.sha256`. */
export function isIdentifier(value: string): boolean {
  if (!/^[A-Za-z_$][\w$]{0,100}(?:\??\.[A-Za-z_$][\w$]{0,100}){0,10}$/.test(value)) return false
  return !/\d{4}/.test(value) && isWordy(value)
}

/** The parts of a name are words: long, and with vowels in them. Those of a random text are scraps. */
function isWordy(value: string): boolean {
  const parts = value.match(/[A-Z]{0,1}[a-z]{1,100}|[A-Z]{1,100}|\d{1,100}/g) ?? []
  const average = parts.reduce((sum, part) => sum + part.length, 0) / parts.length
  const words = parts.filter((part) => part.length >= 3 && /[a-z]/.test(part))
  const voiced = words.filter((word) => /[aeiouy]/i.test(word))
  return average >= 3.2 && words.length > 0 && voiced.length / words.length >= 0.75
}

/** Bits a character, after Shannon. */
export function measureEntropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
