import { describe, expect, it } from 'vitest'
import { isShortcut, keyCaps } from './keys.ts'

const press = (key: string, held: Partial<KeyboardEvent> = {}) =>
  ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }) as KeyboardEvent

describe('a shortcut', () => {
  it.each([
    ['mod+k', 'MacIntel', ['⌘', 'K']],
    ['mod+k', 'Linux x86_64', ['Ctrl', 'K']],
    ['shift+enter', 'Win32', ['Shift', '⏎']],
    ['g t', 'Win32', ['G', 'T']],
    ['f2', 'Win32', ['F2']],
  ])('%s on %s is drawn as %j', (keys, platform, caps) => expect(keyCaps(keys, platform)).toEqual(caps))

  it.each([
    [press('k', { ctrlKey: true }), 'Linux', true],
    [press('K', { ctrlKey: true }), 'Linux', true],
    [press('k', { metaKey: true }), 'MacIntel', true],
    [press('k', { ctrlKey: true }), 'MacIntel', false],
    [press('k', { ctrlKey: true, shiftKey: true }), 'Linux', false],
    [press('k'), 'Linux', false],
  ])('mod+k against %o on %s is %s', (event, platform, expected) => {
    expect(isShortcut(event, 'mod+k', platform)).toBe(expected)
  })
})
