import { describe, expect, it } from 'vitest'
import { readTerminal } from './terminal-lines.ts'

const esc = '\u001b'
const shown = (output: string) => readTerminal(output).lines.map((line) => line.map((run) => run.text).join(''))
const firstRun = (output: string) => readTerminal(output).lines[0]?.[0]

describe('a terminal shows', () => {
  it.each([
    ['plain lines', 'a\nb\n', ['a', 'b']],
    ['an empty line between', 'a\n\nb', ['a', '', 'b']],
    ['lines that end in two characters', 'a\r\nb\r\r\nc', ['a', 'b', 'c']],
    ['the last state of a progress line', '10 %\r50 %\r100 %\ndone', ['100 %', 'done']],
    ['what a shorter line leaves standing', 'abcdef\rxy', ['xycdef']],
    ['what erasing leaves', `abcdef\rxy${esc}[K\nz`, ['xy', 'z']],
    ['a return by column', `abc${esc}[1Gx`, ['xbc']],
    ['a backspace', 'ab\b\bxy!', ['xy!']],
    ['nothing for nothing', '', []],
  ])('%s', (_, output, lines) => expect(shown(output)).toEqual(lines))

  it('colours and weight', () => {
    expect(readTerminal(`${esc}[1;31mFAIL${esc}[0m date`).lines).toEqual([
      [
        { text: 'FAIL', style: expect.objectContaining({ colour: 'red', bold: true, hidden: false }) },
        { text: ' date', style: null },
      ],
    ])
  })

  it.each([
    ['bright', '92', 'green'],
    ['bright black', '90', 'bright-black'],
    ['of 256', '38;5;208', 'yellow'],
    ['of 256, grey', '38;5;240', 'bright-black'],
    ['of millions', '38;2;30;90;220', 'blue'],
    ['of millions, written with colons', '38:2::30:90:220', 'blue'],
  ])('a colour that is %s as the nearest of sixteen', (_, code, colour) => {
    expect(firstRun(`${esc}[${code}mx`)?.style?.colour).toBe(colour)
  })

  it('colours through an overwritten line', () => {
    expect(readTerminal(`${esc}[31mred${esc}[0m tail\r${esc}[32mok`).lines[0]).toMatchObject([
      { text: 'ok', style: { colour: 'green' } },
      { text: 'd', style: { colour: 'red' } },
      { text: ' tail', style: null },
    ])
  })
})

describe('a terminal is not steered', () => {
  it.each([
    ['a title', `${esc}]0;owned\u0007ok`],
    ['a link', `${esc}]8;;http://evil.test${esc}\\ok${esc}]8;;${esc}\\`],
    ['the clipboard', `${esc}]52;c;cm0gLXJm\u0007ok`],
    ['a status request', `${esc}P$qm${esc}\\ok`],
    ['a private message', `${esc}^x${esc}\\${esc}_y${esc}\\ok`],
  ])('by %s, and says how often it was tried', (_, output) => {
    expect(shown(output)).toEqual(['ok'])
    expect(readTerminal(output).ignored).toBeGreaterThan(0)
  })

  it.each([
    ['cursor movement', `a${esc}[2A${esc}[5Cb`, 'ab'],
    ['clearing the screen', `a${esc}[2J${esc}[Hb`, 'ab'],
    ['a reset', `a${esc}cb`, 'ab'],
    ['a character set', `a${esc}(Bb`, 'ab'],
    ['a bell', 'a\u0007b', 'ab'],
    ['a sequence cut off by the end', `ab${esc}[3`, 'ab'],
    ['a lone escape', `ab${esc}`, 'ab'],
  ])('by %s', (_, output, line) => expect(shown(output)).toEqual([line]))

  it('into rewriting a very long line for ever', () => {
    const lines = shown(`${'x'.repeat(100_000)}${'\ry'.repeat(50_000)}`)
    expect(lines.map((line) => line.length)).toEqual([100_000, 1])
  })

  it('into an element for each letter of a long line', () => {
    const [line] = readTerminal(Array.from({ length: 50_000 }, (_, at) => `${esc}[3${at % 8}mx`).join('')).lines
    expect(line?.length).toBeLessThanOrEqual(500)
    expect(line?.map((run) => run.text).join('')).toBe('x'.repeat(50_000))
  })

  it('into hiding text', () => {
    expect(firstRun(`${esc}[8msecret`)).toMatchObject({ text: 'secret', style: { hidden: true } })
  })

  it('into swallowing what comes after a string that never ends', () => {
    expect(shown(`${esc}]0;open\nnext line\n${esc}Pq rest`)).toEqual(['0;open', 'next line', 'q rest'])
  })
})
