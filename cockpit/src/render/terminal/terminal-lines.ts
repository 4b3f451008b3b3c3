/**
 * What a terminal would show for the output of a process, as lines of styled runs.
 *
 * Colours and carriage returns are followed. Everything that acts on a terminal rather than on its
 * text is not: titles, links, the clipboard and replies (OSC, DCS and their kind) are taken out and
 * counted, cursor movement is dropped, and text written to be invisible is shown and marked.
 */
import Anser, { type AnserJsonEntry } from 'anser'

export interface RunStyle {
  /** One of the sixteen names behind the `--ansi-*` tokens; null for the plain colour. */
  readonly colour: string | null
  readonly background: string | null
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly struck: boolean
  readonly inverse: boolean
  /** Written to be invisible. */
  readonly hidden: boolean
}

export interface Run {
  readonly text: string
  readonly style: RunStyle | null
}

export interface TerminalLines {
  readonly lines: readonly (readonly Run[])[]
  /** Sequences that were addressed to the terminal and not followed. */
  readonly ignored: number
}

export function readTerminal(output: string): TerminalLines {
  const { text, ignored } = keepText(output)
  const chunks = Anser.ansiToJson(text, { use_classes: true, remove_empty: true })
  const lines: Run[][] = []
  let line = new Line()
  for (const chunk of chunks) {
    const style = styleOf(chunk)
    for (const piece of chunk.content.split(steering)) {
      const isTooLongToRewrite = piece === '\r' && line.length > longestRewritten
      if (piece === '\n' || isTooLongToRewrite) {
        lines.push(line.runs)
        line = new Line()
      } else if (piece === '\r') line.column = 0
      else if (piece === '\b') line.column = Math.max(0, line.column - 1)
      else if (piece === eraseLine) line.cut()
      else if (piece !== '') line.write({ text: piece, style })
    }
  }
  if (line.runs.length > 0) lines.push(line.runs)
  return { lines, ignored }
}

/** Stands for "erase to the end of the line" between the two steps; a NUL of the output itself is dropped. */
const eraseLine = '\0'
const steering = /([\n\r\b\0])/
/** Strings for the terminal end within this many characters, or their start alone is taken out: output cannot swallow the rest. */
const longestString = 4096
/** A longer line is ended by a return instead of written over: doing that often would take time without end. */
const longestRewritten = 2000

/** Take out what is not text, keep colours, and reduce what erases or returns to one character. */
function keepText(output: string): { text: string; ignored: number } {
  let ignored = 0
  const strings = new RegExp(`\\u001b[\\]PX^_][^\\u0007\\u001b]{0,${longestString}}(?:\\u0007|\\u001b\\\\)`, 'g')
  const text = output
    .replaceAll('\0', '')
    .replaceAll(/\r+\n/g, '\n')
    .replaceAll(strings, () => {
      ignored += 1
      return ''
    })
    .replaceAll(controlSequence, (sequence) => {
      if (/^.\[[\d;:]*m$/s.test(sequence)) return sequence.replaceAll('::', ':').replaceAll(':', ';')
      if (/^.\[0?K$/s.test(sequence)) return eraseLine
      return /^.\[1?G$/s.test(sequence) ? '\r' : ''
    })
    .replaceAll(otherEscape, '')
    .replaceAll('\u0007', '')
  return { text, ignored }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ECMA-48 control sequences begin with one. The second form is one cut off by the end.
const controlSequence = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\[[0-?]*[ -/]*$/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: every other escape, and one that was left alone.
const otherEscape = /\u001b(?!\[[\d;]*m)(?:[ -/]*[0-~])?/g

/** Runs of one line at most. */
const mostRuns = 500

/** One line being written: text goes where the column stands, over what was there. */
class Line {
  runs: Run[] = []
  column = 0
  length = 0

  write(run: Run) {
    if (this.column < this.length) this.#writeOver(run)
    else this.#append(run)
    this.column += run.text.length
    this.length = Math.max(this.length, this.column)
  }

  /** Erase from the column to the end. */
  cut() {
    this.runs = sliceRuns(this.runs, { from: 0, to: this.column })
    this.length = Math.min(this.length, this.column)
  }

  /** A line that changes its colour with each letter is an element for each: beyond a bound, what follows has the last one's. */
  #append(run: Run) {
    const last = this.runs.at(-1)
    if (last && (last.style === run.style || this.runs.length >= mostRuns))
      this.runs[this.runs.length - 1] = { ...last, text: last.text + run.text }
    else this.runs.push(run)
  }

  #writeOver(run: Run) {
    const before = sliceRuns(this.runs, { from: 0, to: this.column })
    const after = sliceRuns(this.runs, { from: this.column + run.text.length, to: this.length })
    this.runs = before
    for (const piece of [run, ...after]) this.#append(piece)
  }
}

function sliceRuns(runs: readonly Run[], range: { from: number; to: number }): Run[] {
  const kept: Run[] = []
  let at = 0
  for (const run of runs) {
    const text = run.text.slice(Math.max(0, range.from - at), Math.max(0, range.to - at))
    if (text !== '') kept.push({ text, style: run.style })
    at += run.text.length
  }
  return kept
}

/** One object for each way to look, so that runs can be compared and joined by identity. */
const styles = new Map<string, RunStyle>()

function styleOf(chunk: AnserJsonEntry): RunStyle | null {
  if (!chunk.fg && !chunk.bg && chunk.decorations.length === 0) return null
  const key = [chunk.fg, chunk.fg_truecolor, chunk.bg, chunk.bg_truecolor, ...chunk.decorations].join()
  const known = styles.get(key)
  if (known) return known
  const style = readStyle(chunk)
  if (styles.size < mostStyles) styles.set(key, style)
  return style
}

/** True colours are many; beyond this a look is read anew each time. */
const mostStyles = 500

function readStyle(chunk: AnserJsonEntry): RunStyle {
  const has = (decoration: string) => (chunk.decorations as readonly string[]).includes(decoration)
  const colour = colourOf(chunk.fg, chunk.fg_truecolor)
  const background = colourOf(chunk.bg, chunk.bg_truecolor)
  return {
    colour,
    background,
    bold: has('bold'),
    dim: has('dim'),
    italic: has('italic'),
    underline: has('underline'),
    struck: has('strikethrough'),
    inverse: has('reverse'),
    hidden: has('hidden'),
  }
}

/** The token name of a colour. One of many millions becomes the nearest of sixteen, which both themes can show. */
function colourOf(given: string | null, trueColour: string | null): string | null {
  if (!given) return null
  if (given === 'ansi-truecolor') return nearest((trueColour ?? '').split(',').map(Number))
  const palette = /^ansi-palette-(\d+)$/.exec(given)
  if (palette) return nearest(paletteColour(Number(palette[1])))
  const name = given.replace('ansi-', '')
  return foldBright(name)
}

/** The tokens tell bright from plain only where it can be told: black and white. */
function foldBright(name: string): string {
  return name === 'bright-black' || name === 'bright-white' ? name : name.replace('bright-', '')
}

/** Red, green and blue of the 256-colour palette: a cube of six steps, then 24 greys. */
function paletteColour(index: number): number[] {
  if (index >= 232) return Array(3).fill(8 + (index - 232) * 10)
  const at = index - 16
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => (step === 0 ? 0 : 55 + step * 40))
}

function nearest([red = 0, green = 0, blue = 0]: readonly number[]): string {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  if (most - least < 32) return most < 64 ? 'black' : most < 140 ? 'bright-black' : most < 220 ? 'white' : 'bright-white'
  const middle = (most + least) / 2
  const lit = [red, green, blue].map((channel) => (channel > middle ? 1 : 0)).join('')
  return { '100': 'red', '010': 'green', '001': 'blue', '110': 'yellow', '101': 'magenta', '011': 'cyan' }[lit] ?? 'white'
}
