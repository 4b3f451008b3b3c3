/** The page of promises and attacks names tests; this holds it to them, and to every case of its areas. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const page = readFileSync(path.join(root, 'docs/security-and-limits.md'), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('|') && !/^\| (promise|case|-)/.test(line))
const tests = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)))
  .map((file) => readFileSync(path.join(root, file), 'utf8'))

/** The cases of the catalogue that a boundary and a store have to answer; the gaps in the numbers are its own. */
const cases: Readonly<Record<string, string>> = {
  NET: '1-7 9-15 17-26',
  AUTH: '1-3 5-18',
  SSE: '1-10',
  UI: '1-18',
  OUT: '1-3 5 7-14',
  RED: '1 4 5 7-14',
  ENV: '1-4 6-9',
  CRY: '1 5-16',
  LED: '1-7',
  DUR: '1-4 6 7 9-16',
  LOG: '1-6',
  DOS: '1-12',
}

describe('the page of promises and attacks', () => {
  it.each(Object.entries(cases))('answers every case of %s', (area, numbers) => {
    const answered = new Set(rows.flatMap((row) => numbersIn(row.split('|')[1] ?? '', area)))
    expect(spread(numbers).filter((number) => !answered.has(number))).toEqual([])
  })

  it('names only files that are there', () => {
    const named = [...page.matchAll(/`([\w-]+(?:\/[\w.-]+)*\/[\w.-]*)`/g)].map((match) => match[1] as string)
    const paths = named.filter((name) => /^(shared|engine|server|cockpit|guardian|tests|docs)\//.test(name))
    expect(paths.length).toBeGreaterThan(40)
    expect(paths.filter((name) => !existsSync(path.join(root, name)))).toEqual([])
  })

  it('quotes only tests that are there', () => {
    const quoted = rows.flatMap((row) => [...row.matchAll(/"([^"]+)"/g)].map((match) => match[1] as string))
    expect(quoted.length).toBeGreaterThan(20)
    expect(quoted.filter((title) => !isTitle(title))).toEqual([])
  })
})

/** Words of the title, in order; an ellipsis stands for what a table fills in. */
function isTitle(quote: string): boolean {
  const parts = quote.split('…').map((part) => part.trim())
  return tests.some((text) => {
    let at = 0
    for (const part of parts) {
      at = text.indexOf(part, at)
      if (at === -1) return false
    }
    return true
  })
}

/** The numbers that `AREA-01`, `AREA-05 to 07` and `AREA-14, 15` stand for. */
function numbersIn(cell: string, area: string): number[] {
  const found = new RegExp(`${area}-(\\d+(?:(?: to |, )\\d+)*)`).exec(cell)?.[1] ?? ''
  return spread(found.replaceAll(' to ', '-').replaceAll(', ', ' '))
}

function spread(numbers: string): number[] {
  return numbers
    .split(' ')
    .filter((each) => each !== '')
    .flatMap((each) => {
      const [first = 0, last = first] = each.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
}
