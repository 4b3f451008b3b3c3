/**
 * A file's content as a string with one character a byte.
 *
 * Matching and splicing happen on this form, whatever the encoding: what an edit does not touch cannot
 * change, a byte that decodes to nothing included. UTF-8 is self-synchronising, so a text that is found
 * among bytes is found exactly where it would be found among characters.
 */
import { isUtf8 } from 'node:buffer'

export interface ByteText {
  /** Without the byte order mark. */
  readonly body: string
  /** The byte order mark or nothing: hidden from matching and from the diff, written back as it was. */
  readonly mark: string
  readonly isUtf8: boolean
}

const byteOrderMark = '\u00ef\u00bb\u00bf'

/** Take bytes apart. Each character of `body` stands for one byte. */
export function readByteText(bytes: Uint8Array): ByteText {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const mark = all.startsWith(byteOrderMark) ? byteOrderMark : ''
  return { body: all.slice(mark.length), mark, isUtf8: isUtf8(bytes) }
}

/** The bytes of a content: the inverse of `readByteText`. */
export function writeByteText({ mark, body }: Pick<ByteText, 'mark' | 'body'>): Uint8Array {
  return Buffer.from(mark + body, 'latin1')
}

/** A text in this form, as UTF-8. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** The text that bytes stand for, with U+FFFD for what does not decode: for showing, never for writing. */
export function toText(body: string): string {
  return Buffer.from(body, 'latin1').toString('utf8')
}
