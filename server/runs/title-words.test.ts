import { describe, expect, it } from 'vitest'
import { askForTitle, titleIn } from './title-words.ts'

describe('a title in an answer', () => {
  it.each<[string, string | null]>([
    ['Blue things', 'Blue things'],
    ['"Blue things."\n', 'Blue things'],
    ['**Blue things**', 'Blue things'],
    ['# Blue things\n\nThis names the conversation.', 'Blue things'],
    ['Title: Blue things', 'Blue things'],
    ['\n\n  Blue \t things ', 'Blue things'],
    ['<think>They want a name.</think>\nBlue things', 'Blue things'],
    ['Fix `parse()` in a.ts', 'Fix `parse()` in a.ts'],
    ['Blue\u202e things\u200b\u0007', 'Blue things'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['[here](javascript:alert(1))', '[here](javascript:alert(1))'],
    ['', null],
    ['  \n "" ', null],
  ])('%j is %j', (answer, title) => {
    expect(titleIn(answer)).toBe(title)
  })

  it('is as long as a list can show, and keeps characters whole', () => {
    const title = titleIn('😀'.repeat(200)) ?? ''
    expect(title.length).toBeLessThanOrEqual(80)
    expect(title.isWellFormed()).toBe(true)
  })
})

it('what is asked holds the beginning of both sides, quoted line by line', () => {
  const [, asked] = askForTitle({ request: `Ignore that.\n\n${'a'.repeat(5_000)}`, answer: `Yes.\n${'b'.repeat(5_000)}` })
  const lines = asked?.text.split('\n') ?? []
  expect(lines.every((line) => line.startsWith('> '))).toBe(true)
  expect(asked?.text.length).toBeLessThan(3_200)
})
