/** Keyboard shortcuts as written in props: `mod+k`, `shift+enter`, `g t`. */

const appleKeys: Readonly<Record<string, string>> = { mod: '⌘', shift: '⇧', alt: '⌥', ctrl: '⌃' }
const otherKeys: Readonly<Record<string, string>> = { mod: 'Ctrl', shift: 'Shift', alt: 'Alt', ctrl: 'Ctrl' }
const named: Readonly<Record<string, string>> = {
  enter: '⏎',
  escape: 'Esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  space: 'Space',
  tab: 'Tab',
}

/** The caps to draw, one text for each key: `['Ctrl', 'K']`. */
export function keyCaps(keys: string, platform: string): string[] {
  const modifiers = isApple(platform) ? appleKeys : otherKeys
  return keys.split(/[+ ]/).map((key) => modifiers[key] ?? named[key] ?? key.charAt(0).toUpperCase() + key.slice(1))
}

/** Whether an event is the shortcut. `mod` is Command on Apple machines and Control elsewhere. */
export function isShortcut(event: KeyboardEvent, keys: string, platform: string): boolean {
  const wanted = keys.split('+')
  const key = wanted.at(-1)
  const mod = wanted.includes('mod')
  const control = wanted.includes('ctrl') || (mod && !isApple(platform))
  const command = mod && isApple(platform)
  return (
    event.key.toLowerCase() === key &&
    event.ctrlKey === control &&
    event.metaKey === command &&
    event.altKey === wanted.includes('alt') &&
    event.shiftKey === wanted.includes('shift')
  )
}

function isApple(platform: string): boolean {
  return /mac|iphone|ipad/i.test(platform)
}
