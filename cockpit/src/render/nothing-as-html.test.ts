import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const sources = join(import.meta.dirname, '..')

/** Ways for text to become elements or styles: none is used, so none has to be made safe. */
const doors =
  /\{@html|\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|document\.write|createContextualFragment|\bsrcdoc\b|\sstyle=["{]|setAttribute\(\s*['"]style/

describe('no text becomes an element or a style', () => {
  const files = globSync('**/*.{svelte,ts}', { cwd: sources }).filter((name) => !name.endsWith('.test.ts'))

  it('in any component or module of the cockpit', () => {
    expect(files.length).toBeGreaterThan(80)
    expect(files.filter((name) => doors.test(readFileSync(join(sources, name), 'utf8')))).toEqual([])
  })

  it.each([
    '{@html text}',
    'node.innerHTML = text',
    '<p style="color: red">',
    '<p style={text}>',
    'node.setAttribute("style", text)',
  ])('%s would be noticed', (line) => expect(doors.test(line)).toBe(true))

  it.each(['<p style:width="{size}px">', '<style>'])('%s is not one', (line) => expect(doors.test(line)).toBe(false))
})
