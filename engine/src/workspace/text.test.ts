import { describe, expect, test } from 'vitest'
import { viewText } from './text.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

describe('bytes seen as text', () => {
  test.each([
    ['plain', bytes('a\nb\n'), { text: 'a\nb\n', encoding: 'utf-8', bom: false, newline: 'lf', endsWithNewline: true }],
    ['empty', bytes(''), { text: '', encoding: 'utf-8', bom: false, newline: 'none', endsWithNewline: false }],
    ['with CRLF', bytes('a\r\nb'), { text: 'a\r\nb', encoding: 'utf-8', bom: false, newline: 'crlf', endsWithNewline: false }],
    ['mixed', bytes('a\r\nb\n'), { text: 'a\r\nb\n', encoding: 'utf-8', bom: false, newline: 'mixed', endsWithNewline: true }],
    [
      'with a mark',
      bytes([0xef, 0xbb, 0xbf], 'é'),
      { text: 'é', encoding: 'utf-8', bom: true, newline: 'none', endsWithNewline: false },
    ],
    [
      'not UTF-8',
      bytes('a', [0x99], 'b'),
      { text: 'a\ufffdb', encoding: 'unknown', bom: false, newline: 'none', endsWithNewline: false },
    ],
  ])('%s', (_name, content, view) => {
    expect(viewText(content)).toEqual(view)
  })

  test.each([
    ['a zero byte', bytes('a\0b')],
    ['UTF-16', Buffer.from('\ufeffhello', 'utf16le')],
  ])('%s is not text', (_name, content) => {
    expect(viewText(content)).toBeNull()
  })

  test('a zero byte far into a text does not make it binary', () => {
    expect(viewText(bytes('a'.repeat(9000), [0]))).not.toBeNull()
  })
})
