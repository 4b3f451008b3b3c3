/** Bytes seen as text: is it text at all, in which encoding, with which line ends. */

type Newline = 'lf' | 'crlf' | 'mixed' | 'none'

/** A file as a model or a person reads it. It is for reading: what was undecodable cannot be written back from it. */
export interface TextView {
  /** Without the byte order mark; each undecodable byte sequence is shown as U+FFFD. */
  readonly text: string
  readonly encoding: 'utf-8' | 'unknown'
  readonly bom: boolean
  readonly newline: Newline
  readonly endsWithNewline: boolean
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const lenient = new TextDecoder('utf-8', { ignoreBOM: false })

/** How far into a file a zero byte is looked for, the distance that git uses. */
const sniffBytes = 8000

/** View bytes as text, or null when they are binary: a zero byte early on, as in UTF-16, images and programs. */
export function viewText(bytes: Uint8Array): TextView | null {
  if (isBinary(bytes)) return null
  const { text, encoding } = decode(bytes)
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return { text, encoding, bom, newline: findNewline(text), endsWithNewline: text.endsWith('\n') }
}

/** Whether bytes are anything but text. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, sniffBytes).includes(0)
}

function decode(bytes: Uint8Array): Pick<TextView, 'text' | 'encoding'> {
  try {
    return { text: strict.decode(bytes), encoding: 'utf-8' }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    return { text: lenient.decode(bytes), encoding: 'unknown' }
  }
}

function findNewline(text: string): Newline {
  let crlf = 0
  let lf = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf += 1
    else lf += 1
    if (crlf > 0 && lf > 0) return 'mixed'
  }
  if (crlf > 0) return 'crlf'
  return lf > 0 ? 'lf' : 'none'
}
