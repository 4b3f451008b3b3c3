import { describe, expect, it } from 'vitest'
import { MarkdownReader, readMarkdown } from './reader.ts'

const story = `# Title

A first *paragraph* with \`code\` and
a second line.

- one
- two

  continued

- three

| a | b |
|---|:-:|
| 1 | 2 |

\`\`\`ts
const a = 1

const b = 2
\`\`\`

> quoted
> words

Heading below
---

1. first
2. second

Last [ref] words.
`

describe('a growing text', () => {
  it('gives the same blocks as the whole text, at every length', () => {
    const reader = new MarkdownReader()
    for (let length = 1; length <= story.length; length += 1) {
      const text = story.slice(0, length)
      const grown = reader.read(text).map(({ block }) => block)
      expect(grown, text).toEqual(readMarkdown(text).map(({ block }) => block))
    }
  })

  it('keeps the objects of blocks that stand', () => {
    const reader = new MarkdownReader()
    const before = reader.read('one\n\ntwo\n\nthree\n\nfo')
    const after = reader.read('one\n\ntwo\n\nthree\n\nfour')
    expect(after.slice(0, 3).every((placed, at) => placed === before[at])).toBe(true)
    expect(after[3]).not.toBe(before[3])
  })

  it('reads only its end again', () => {
    const reader = new MarkdownReader()
    const long = 'A paragraph of *words*.\n\n'.repeat(2000)
    const first = reader.read(long)
    let text = long
    for (let step = 0; step < 500; step += 1) {
      text += 'more words '
      expect(reader.read(text)[0]).toBe(first[0])
    }
  })

  it('starts over when it is another text', () => {
    const reader = new MarkdownReader()
    reader.read('one\n\ntwo\n\nthree\n\nfour')
    expect(reader.read('other').map(({ raw }) => raw)).toEqual(['other'])
  })

  it('resolves a definition at its end for its first line, once it is whole', () => {
    const text = 'See [the page][p].\n\nMiddle.\n\nMore.\n\n[p]: https://docs.example/p\n'
    const reader = new MarkdownReader()
    reader.read(text)
    expect(reader.finish(text)[0]?.block).toMatchObject({
      children: [{ text: 'See ' }, { kind: 'link', host: 'docs.example' }, {}],
    })
  })

  it('counts a line end of two characters as one', () => {
    const reader = new MarkdownReader()
    reader.read('one\r\n\r\ntwo\r\n\r\nthree\r\n\r\nfour')
    expect(
      reader
        .read('one\r\n\r\ntwo\r\n\r\nthree\r\n\r\nfour and five')
        .map(({ raw }) => raw.trim())
        .filter(Boolean),
    ).toEqual(['one', 'two', 'three', 'four and five'])
  })
})

describe('a text made to slow a reader down is shown as it was typed', () => {
  it.each([
    ['pairs of emphasis', `${'**'.repeat(10_000)}a${'*_'.repeat(10_000)}`],
    ['nested quotes', `${'>'.repeat(10_000)} a`],
    ['nested brackets', `${'['.repeat(10_000)}a`],
    ['nested lists', `${'- '.repeat(10_000)}a`],
    ['one endless line', 'x'.repeat(200_000)],
    ['a table of nothing but cells', `|a|b|\n|-|-|\n${'|c|\n'.repeat(9_000)}`.trimEnd()],
    ['a list without end', '- a\n'.repeat(9_000).trimEnd()],
    ['paragraphs without end', 'a\n\n'.repeat(9_000).trimEnd()],
    ['code without end', `${'`a` '.repeat(9_000)}\n${'`a` '.repeat(9_000)}`],
  ])('%s', (_, text) => {
    expect(readMarkdown(text)).toMatchObject([{ block: { kind: 'markup', text } }])
  })

  it('and an ordinary long one is not', () => {
    expect(readMarkdown('**Bold** words and a _few_ more. '.repeat(60))).toMatchObject([{ block: { kind: 'paragraph' } }])
  })
})
