import type { DiffLine } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { markChanges } from './intraline.ts'

const lines = (...given: string[]): DiffLine[] =>
  given.map((text) => ({
    kind: text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same',
    text: text.slice(1),
    old: null,
    new: null,
  }))

/** The lines with the changed part in brackets. */
const shown = (...given: string[]) =>
  markChanges(lines(...given)).map(({ line, changed }) =>
    changed
      ? `${line.text.slice(0, changed.from)}[${line.text.slice(changed.from, changed.to)}]${line.text.slice(changed.to)}`
      : line.text,
  )

describe('the changed part of a changed line', () => {
  it.each([
    ['one line for one', ['-return new Date(s)', '+return fromISO(s)'], ['return [new Date](s)', 'return [fromISO](s)']],
    ['an insertion', ['-a(b)', '+a(b, c)'], ['a(b[])', 'a(b[, c])']],
    ['two for two', ['-a = 1', '-b = 2', '+a = 3', '+b = 4'], ['a = [1]', 'b = [2]', 'a = [3]', 'b = [4]']],
    ['after lines that stand', [' x', '-a = 1', '+a = 2', ' y'], ['x', 'a = [1]', 'a = [2]', 'y']],
    ['repeated letters', ['-aaa', '+aaaa'], ['aaa[]', 'aaa[a]']],
    ['a character of two units', ['-say 😀 now', '+say 😁 now'], ['say [😀] now', 'say [😁] now']],
  ])('is found for %s', (_, given, expected) => expect(shown(...given)).toEqual(expected))

  it.each([
    ['more lines added than removed', ['-a = 1', '+a = 2', '+b = 3']],
    ['lines that share nothing', ['-return value', '+throw problem()']],
    ['only added lines', ['+a', '+b']],
  ])('is not claimed for %s', (_, given) => expect(shown(...given)).toEqual(given.map((text) => text.slice(1))))
})
