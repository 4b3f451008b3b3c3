/**
 * Markdown as data: what will be drawn, in a closed set of shapes.
 *
 * The words come from a model and may be hostile, so nothing of them is ever parsed as HTML. A tag in
 * the text is shown as text; a link keeps an address only if `readLink` lets it; an image is never
 * loaded and becomes a link with its host. No shape has room for an attribute, a style or a handler.
 */
import { Lexer, type Token, type Tokens, type TokensList } from 'marked'
import { decodeEntities } from './entities.ts'
import { readLink } from './links.ts'

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  /** A tag of HTML, as it was typed. */
  | { readonly kind: 'markup'; readonly text: string }
  | { readonly kind: 'strong'; readonly children: readonly Inline[] }
  | { readonly kind: 'emphasis'; readonly children: readonly Inline[] }
  | { readonly kind: 'struck'; readonly children: readonly Inline[] }
  | {
      readonly kind: 'link'
      readonly href: string
      readonly host: string
      /** The words already show where it leads. */
      readonly plain: boolean
      readonly children: readonly Inline[]
    }
  /** A link whose target may not be followed: its words, and the target as text. */
  | { readonly kind: 'inert'; readonly target: string; readonly children: readonly Inline[] }
  /** An image that is not loaded. `link` is null when its address may not be followed either. */
  | { readonly kind: 'image'; readonly words: string; readonly link: { readonly href: string; readonly host: string } | null }
  | { readonly kind: 'break' }

export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  /** Words of a list item without space around them. */
  | { readonly kind: 'tight'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly ListItem[] }
  | {
      readonly kind: 'table'
      readonly align: readonly Align[]
      readonly head: readonly Cell[]
      readonly rows: readonly (readonly Cell[])[]
    }
  | { readonly kind: 'rule' }
  | { readonly kind: 'markup'; readonly text: string }

export interface ListItem {
  /** Null unless the item is a task. */
  readonly checked: boolean | null
  readonly blocks: readonly Block[]
}
export type Cell = readonly Inline[]
export type Align = 'left' | 'center' | 'right' | null

/** Link definitions seen so far, in the lexer's own shape. */
export type Definitions = TokensList['links']

/** Split text into tokens of whole blocks. Their `raw` texts, joined, are the text. */
export function lexMarkdown(text: string, definitions: Definitions): TokensList {
  const lexer = new Lexer({ gfm: true })
  Object.assign(lexer.tokens.links, definitions)
  return lexer.lex(text)
}

/** What one token draws; null for what draws nothing, such as a definition. */
export function planBlock(token: Token, depth = 0): Block | null {
  if (depth > deepest) return { kind: 'markup', text: token.raw }
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return { kind: 'paragraph', children: planInlines((token as Tokens.Paragraph).tokens, depth) }
    case 'text':
      return { kind: 'tight', children: planInlines((token as Tokens.Text).tokens ?? [token], depth) }
    case 'heading':
      return {
        kind: 'heading',
        level: (token as Tokens.Heading).depth,
        children: planInlines((token as Tokens.Heading).tokens, depth),
      }
    case 'code':
      return { kind: 'code', language: languageOf(token as Tokens.Code), text: (token as Tokens.Code).text }
    case 'blockquote':
      return { kind: 'quote', blocks: planBlocks((token as Tokens.Blockquote).tokens, depth + 1) }
    case 'list':
      return planList(token as Tokens.List, depth)
    case 'table':
      return planTable(token as Tokens.Table, depth)
    case 'hr':
      return { kind: 'rule' }
    default:
      return { kind: 'markup', text: token.raw.trimEnd() }
  }
}

/** Deeper than this, structure is no longer read but is used to slow a reader down. */
const deepest = 24

function planBlocks(tokens: readonly Token[], depth: number): Block[] {
  return tokens.map((token) => planBlock(token, depth)).filter((block) => block !== null)
}

function planList(list: Tokens.List, depth: number): Block {
  const items = list.items.map((item) => ({
    checked: item.task ? Boolean(item.checked) : null,
    blocks: planBlocks(
      item.tokens.filter((token) => token.type !== 'checkbox'),
      depth + 1,
    ),
  }))
  return { kind: 'list', start: list.ordered ? Number(list.start) || 1 : null, items }
}

function planTable(table: Tokens.Table, depth: number): Block {
  const cell = ({ tokens }: Tokens.TableCell) => planInlines(tokens, depth + 1)
  return { kind: 'table', align: table.align, head: table.header.map(cell), rows: table.rows.map((row) => row.map(cell)) }
}

function planInlines(tokens: readonly Token[], depth: number): Inline[] {
  return tokens.filter((token) => token.type !== 'checkbox').map((token) => planInline(token, depth + 1))
}

function planInline(token: Token, depth: number): Inline {
  if (depth > deepest) return { kind: 'text', text: token.raw }
  switch (token.type) {
    case 'text':
    case 'escape':
      return { kind: 'text', text: decodeEntities((token as Tokens.Text).text) }
    case 'codespan':
      return { kind: 'code', text: (token as Tokens.Codespan).text }
    case 'strong':
      return { kind: 'strong', children: planInlines((token as Tokens.Strong).tokens, depth) }
    case 'em':
      return { kind: 'emphasis', children: planInlines((token as Tokens.Em).tokens, depth) }
    case 'del':
      return { kind: 'struck', children: planInlines((token as Tokens.Del).tokens, depth) }
    case 'br':
      return { kind: 'break' }
    case 'link':
      return planLink(token as Tokens.Link, depth)
    case 'image':
      return planImage(token as Tokens.Image)
    default:
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? { kind: 'break' } : { kind: 'markup', text: token.raw }
  }
}

function planLink(token: Tokens.Link, depth: number): Inline {
  const children = planInlines(token.tokens, depth)
  const target = decodeEntities(token.href)
  const link = readLink(target)
  if (!link) return { kind: 'inert', target, children }
  return { kind: 'link', ...link, plain: startsWithHost(wordsOf(children), link.host), children }
}

function planImage(token: Tokens.Image): Inline {
  return { kind: 'image', words: decodeEntities(token.text), link: readLink(decodeEntities(token.href)) }
}

/** `https://host.example/…` shows where it leads; `host.example.evil` does not. */
function startsWithHost(words: string, host: string): boolean {
  const shown = words.replace(/^https?:\/\//i, '').toLowerCase()
  return shown === host || shown.startsWith(`${host}/`)
}

function wordsOf(children: readonly Inline[]): string {
  return children.map((child) => ('text' in child ? child.text : 'children' in child ? wordsOf(child.children) : '')).join('')
}

function languageOf(token: Tokens.Code): string {
  return (token.lang ?? '').trim().split(/\s+/)[0]?.slice(0, 40) ?? ''
}
