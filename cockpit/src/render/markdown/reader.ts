/** Markdown that grows: only the end of a streaming text is read again, the blocks before it stand. */
import type { Token } from 'marked'
import { type Block, type Definitions, lexMarkdown, planBlock } from './plan.ts'

/** A block with its place. The same object comes back as long as its text has not changed. */
export interface PlacedBlock {
  readonly at: number
  readonly raw: string
  readonly block: Block
}

/**
 * Reads one text as it grows.
 *
 * The last two blocks of a text may still change with the next letters (a list goes on after an empty
 * line, a paragraph becomes a heading by the line below it), so they stay open and are read again.
 */
export class MarkdownReader {
  #settled: PlacedBlock[] = []
  #settledText = ''
  #definitions: Definitions = {}
  #last: readonly PlacedBlock[] = []

  /** Blocks of the text so far. A text that is not a longer form of the last one is read from its start. */
  read(text: string): readonly PlacedBlock[] {
    const given = withPlainLineEnds(text)
    if (!given.startsWith(this.#settledText)) this.#restart()
    const rest = given.slice(this.#settledText.length)
    if (isTooDense(rest) || this.#settled.length > most.blocks)
      return this.#keep([...this.#settled, this.#place(rest, { kind: 'markup', text: rest }, this.#settled.length)])

    const tokens = lexMarkdown(rest, this.#definitions)
    const open = openFrom(tokens)
    for (const token of tokens.slice(0, open)) this.#settle(token)
    if (open > 0) this.#definitions = { ...this.#definitions, ...tokens.links }
    const blocks = [...this.#settled]
    for (const token of tokens.slice(open)) {
      const placed = this.#placeToken(token, blocks.length)
      if (placed) blocks.push(placed)
    }
    return this.#keep(blocks)
  }

  /** Blocks of the finished text: read whole once, so that a definition at its end reaches its first line. */
  finish(text: string): readonly PlacedBlock[] {
    const known = lexMarkdown(isTooDense(withPlainLineEnds(text)) ? '' : withPlainLineEnds(text), {}).links
    const changed = Object.keys(known).length !== Object.keys(this.#definitions).length
    if (changed) this.#last = []
    this.#restart()
    this.#definitions = known
    return this.read(text)
  }

  #restart() {
    this.#settled = []
    this.#settledText = ''
    this.#definitions = {}
  }

  #settle(token: Token) {
    const placed = this.#placeToken(token, this.#settled.length)
    if (placed) this.#settled.push(placed)
    this.#settledText += token.raw
  }

  #placeToken(token: Token, at: number): PlacedBlock | null {
    const last = this.#last[at]
    if (last?.raw === token.raw) return last
    const block = planBlock(token)
    return block && this.#place(token.raw, block, at)
  }

  #place(raw: string, block: Block, at: number): PlacedBlock {
    const last = this.#last[at]
    return last?.raw === raw ? last : { at, raw, block }
  }

  #keep(blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
    this.#last = blocks
    return blocks
  }
}

/** Blocks of a text that does not grow. */
export function readMarkdown(text: string): readonly PlacedBlock[] {
  return new MarkdownReader().finish(text)
}

/** Index of the first token that may still change: the second last that draws something. */
function openFrom(tokens: readonly Token[]): number {
  let drawn = 0
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    if (tokens[at]?.type !== 'space') drawn += 1
    if (drawn === 2) return at
  }
  return 0
}

/**
 * Whether a text is made to slow a reader down: emphasis is matched in quadratic time, nesting takes
 * stack, and each piece of structure is an element of the page. Such a text is shown as it was typed.
 */
function isTooDense(text: string): boolean {
  let emphasis = 0
  let pieces = 0
  let shapes = 0
  for (const line of text.split('\n')) {
    if (line.length > longestLine) return true
    const isEmpty = line.trim() === ''
    emphasis = isEmpty ? 0 : emphasis + countIn(line, /[*_~]/g)
    pieces += countIn(line, /[`[\]<>&|]/g)
    if (isEmpty || /^[ \t]*(?:>|[-*+#|]|\d{1,9}[.)])/.test(line)) shapes += 1
    if (emphasis > most.emphasis || pieces > most.pieces || shapes > most.shapes) return true
    if (/^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])[ \t]*){60}/.test(line) || /\[{60}/.test(line)) return true
  }
  return false
}

const longestLine = 40_000

/** Signs of emphasis in one paragraph; signs of code, links, tags and cells, lines that begin or part something, and settled blocks, in a text. */
const most = { emphasis: 1200, pieces: 20_000, shapes: 8_000, blocks: 4_000 } as const

function countIn(line: string, signs: RegExp): number {
  return line.match(signs)?.length ?? 0
}

function withPlainLineEnds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
}
