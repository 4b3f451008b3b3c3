import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const sheet = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const declared = new Map(
  [...sheet.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name as string, value as string]),
)

/** The colour of a token in one theme; follows `var()` to the ramp. */
function colourOf(name: string, theme: 'light' | 'dark'): string {
  const value = declared.get(name) ?? ''
  const alias = /^var\(--([\w-]+)\)$/.exec(value)
  if (alias) return colourOf(alias[1] as string, theme)
  const pair = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value)
  if (!pair) throw new Error(`--${name} is not a colour in both themes: ${value}`)
  return pair[theme === 'light' ? 1 : 2] as string
}

const tones = ['running', 'effect', 'waiting', 'refused', 'evidence', 'untrusted']
const surfaces = ['canvas', 'panel', 'well', 'raised', 'control', 'hover', 'selected']
const ansi = [...declared.keys()].filter((name) => name.startsWith('ansi-'))

const text: [string, string[]][] = [
  ['text', [...surfaces, 'pressed', 'added-word', 'removed-word', ...tones.map((tone) => `${tone}-wash`)]],
  ['text-muted', [...surfaces, 'pressed', ...tones.map((tone) => `${tone}-wash`)]],
  ['text-faint', surfaces],
  ['accent', [...surfaces, 'pressed']],
  ['on-accent', ['accent-solid', 'accent-solid-hover']],
  ...tones.map((tone): [string, string[]] => [tone, [...surfaces, `${tone}-wash`]]),
  ...ansi.map((name): [string, string[]] => [name, ['well']]),
]
const meaningful: [string, string[]][] = [
  ['control-line', ['canvas', 'panel', 'raised', 'control', 'hover']],
  ['selected-line', ['canvas', 'panel', 'selected']],
]

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  const pairs = (list: [string, string[]][]) => list.flatMap(([front, backs]) => backs.map((back) => [front, back] as const))

  it.each(pairs(text))('text in --%s is readable on --%s', (front, back) => {
    expect(contrast(colourOf(front, theme), colourOf(back, theme))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(pairs(meaningful))('a line in --%s can be seen on --%s', (front, back) => {
    expect(contrast(colourOf(front, theme), colourOf(back, theme))).toBeGreaterThanOrEqual(3)
  })
})

describe('contrast', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
  ])('of %s on %s is %d', (front, back, expected) => {
    expect(contrast(front, back)).toBeCloseTo(expected, 2)
  })
})

/** Contrast of two opaque colours after WCAG 2.2, from 1 to 21. */
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** Relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}
