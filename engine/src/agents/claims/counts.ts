/** How many passed and failed, read from what a test runner printed. */

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly total: number
}

/** The end of an output holds the summary. In UTF-16 units. */
const readLength = 16 * 1024

/**
 * Read the counts of the last summary in an output, or null where there is none that is known.
 *
 * Formats: vitest, jest, mocha, node:test and TAP, pytest, unittest, cargo, Go's `-v`, rspec, phpunit, dotnet, ctest.
 */
export function readCounts(output: string): Counts | null {
  const text = strip(output.slice(-readLength))
  for (const read of readers) {
    const counts = read(text)
    if (counts) return counts
  }
  return null
}

type Reader = (text: string) => Counts | null

const readers: readonly Reader[] = [
  // vitest: "Tests  3 failed | 9 passed (12)"; jest: "Tests:       1 failed, 11 passed, 12 total".
  (text) => readSummary(lastLine(text, /^\s*Tests:?\s+(.*\d.*)$/gim)),
  // pytest: "=== 3 failed, 9 passed in 0.12s ===".
  (text) => readSummary(lastLine(text, /^=*\s*((?:\d+ \w+, )*\d+ (?:passed|failed|errors?)\b.*) in [\d.]+ ?s.*$/gim)),
  // cargo: one line for each crate.
  (text) => sumOf(text, /^test result: \w+\. (\d+) passed; (\d+) failed;/gm),
  // node:test in both of its reporters, and TAP producers that count at the end.
  (text) => pairOf(text, /^(?:#|ℹ) pass (\d+)$/gm, /^(?:#|ℹ) fail (\d+)$/gm),
  // mocha.
  (text) => pairOf(text, /^\s*(\d+) passing\b/gm, /^\s*(\d+) failing\b/gm),
  // rspec: "12 examples, 1 failure".
  (text) => totalOf(text, /^(\d+) examples?, (\d+) failures?/gm),
  // phpunit: "OK (12 tests, 30 assertions)", "Tests: 12, Assertions: 30, Failures: 2.".
  (text) => totalOf(text, /^OK \((\d+) tests?()/gm) ?? totalOf(text, /^Tests: (\d+), .*?(?:Failures: (\d+))?\.$/gm),
  // unittest: "Ran 12 tests in 0.1s", then "OK" or "FAILED (failures=1, errors=2)".
  readUnittest,
  // dotnet: "Passed!  - Failed:     0, Passed:    12".
  (text) => sumOf(text, /Passed:\s+(\d+)()/g, /Failed:\s+(\d+)/g),
  // ctest: "92% tests passed, 1 tests failed out of 12".
  (text) => {
    const match = lastMatch(text, /tests passed, (\d+) tests? failed out of (\d+)/g)
    return match && fromTotal(Number(match[2]), Number(match[1]))
  },
  // go test -v.
  (text) => countLines(text, /^\s*--- PASS:/gm, /^\s*--- FAIL:/gm),
]

function readSummary(line: string | null): Counts | null {
  if (line === null) return null
  const number = (pattern: RegExp) => Number(pattern.exec(line)?.[1] ?? 0)
  const failed = number(/(\d+) failed/i) + number(/(\d+) errors?/i)
  const passed = number(/(\d+) passed/i)
  return passed + failed === 0 ? null : { passed, failed, total: passed + failed }
}

function readUnittest(text: string): Counts | null {
  const ran = lastMatch(text, /^Ran (\d+) tests? in /gm)
  if (!ran) return null
  const failures = lastMatch(text, /^FAILED \((.*)\)$/gm)?.[1] ?? ''
  const failed = [...failures.matchAll(/(?:failures|errors)=(\d+)/g)].reduce((sum, match) => sum + Number(match[1]), 0)
  return fromTotal(Number(ran[1]), failed)
}

/** Sums over all lines: passed in the first group, failed in the second or in a pattern of its own. */
function sumOf(text: string, pattern: RegExp, failures?: RegExp): Counts | null {
  const matches = [...text.matchAll(pattern)]
  if (matches.length === 0) return null
  const passed = matches.reduce((sum, match) => sum + Number(match[1]), 0)
  const failed = failures
    ? [...text.matchAll(failures)].reduce((sum, match) => sum + Number(match[1]), 0)
    : matches.reduce((sum, match) => sum + Number(match[2]), 0)
  return { passed, failed, total: passed + failed }
}

function pairOf(text: string, passes: RegExp, failures: RegExp): Counts | null {
  const passed = lastMatch(text, passes)
  if (!passed) return null
  const failed = Number(lastMatch(text, failures)?.[1] ?? 0)
  return { passed: Number(passed[1]), failed, total: Number(passed[1]) + failed }
}

function totalOf(text: string, pattern: RegExp): Counts | null {
  const match = lastMatch(text, pattern)
  return match && fromTotal(Number(match[1]), Number(match[2] || 0))
}

function countLines(text: string, passes: RegExp, failures: RegExp): Counts | null {
  const passed = [...text.matchAll(passes)].length
  const failed = [...text.matchAll(failures)].length
  return passed + failed === 0 ? null : { passed, failed, total: passed + failed }
}

function fromTotal(total: number, failed: number): Counts {
  return { passed: total - failed, failed, total }
}

function lastLine(text: string, pattern: RegExp): string | null {
  return lastMatch(text, pattern)?.[1] ?? null
}

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | null {
  return [...text.matchAll(pattern)].at(-1) ?? null
}

/** Without colours, which stand between the words and the numbers. */
function strip(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
  return text.replaceAll(/\u001b\[[\d;]*m/g, '')
}
