import { describe, expect, it } from 'vitest'
import { findClaims } from './claims.ts'
import { classifyCommand } from './commands.ts'
import { readCounts } from './counts.ts'
import { splitSentences } from './sentences.ts'

describe('a sentence', () => {
  it.each([
    ['I updated `a.ts` and `lib/b.ts`.', [{ kind: 'change', paths: ['a.ts', 'lib/b.ts'] }]],
    ['I updated src/a.ts:42, which should fix it.', [{ kind: 'change', paths: ['src/a.ts'] }]],
    ['9 of 12 tests pass.', [{ kind: 'count', passed: 9, failed: null, total: 12 }]],
    [
      '9 tests pass, 3 fail.',
      [
        { kind: 'count', passed: 9, failed: null, total: null },
        { kind: 'count', passed: null, failed: 3, total: null },
      ],
    ],
    ['Tests green.', [{ kind: 'check', checks: ['test'] }]],
    ['There are no failing tests.', [{ kind: 'check', checks: ['test'] }]],
    ['`go vet ./...` comes back clean.', [{ kind: 'check', checks: ['lint'] }]],
    ['| `a.ts` | Added a check |', [{ kind: 'change', paths: ['a.ts'] }]],
    ['- `a.ts`: added a check', [{ kind: 'change', paths: ['a.ts'] }]],
    ['I committed it.', [{ kind: 'run', commands: [], git: 'commit' }]],
    ['I read `a.ts` line by line.', [{ kind: 'look', verified: false }]],
    ['You wrote that the tests pass.', []],
    ['A good title is "Fixed it; all tests pass".', []],
    ['Work is done when it is reviewed, the tests pass and it is merged.', []],
    ['It was premature to say that the tests pass.', []],
    ['Commit 3fa2 removed the retry and updated the client.', []],
    ['3 tests still fail.', [{ kind: 'count', passed: null, failed: 3, total: null }]],
    [
      'The build succeeds and the linter is clean.',
      [
        { kind: 'check', checks: ['build'] },
        { kind: 'check', checks: ['lint'] },
      ],
    ],
    ['I ran `npm test`.', [{ kind: 'run', commands: ['npm test'] }]],
    ['Verified by hand.', [{ kind: 'look', verified: true }]],
    ['I will update it.', []],
    ['Did the tests pass?', []],
    ['No tests were run.', []],
    ['Run the tests to see that they pass.', []],
  ])('%j claims %j', (sentence, claims) => {
    expect(findClaims(sentence)).toEqual(claims)
  })

  it('keeps its place, and code, quotations and tables hold none', () => {
    const answer =
      'See `a.b` for more. Done!\n\n```\nAll passed.\n```\n> All passed.\n\n| a | b |\n|---|---|\n- First, e.g. this. Second'
    expect(splitSentences(answer).map(({ text }) => text)).toEqual([
      'See `a.b` for more.',
      'Done!',
      '| a | b |',
      '- First, e.g. this.',
      'Second',
    ])
    for (const { text, start, end } of splitSentences(answer)) expect(answer.slice(start, end)).toBe(text)
  })

  it('goes on after a stop inside of code', () => {
    expect(splitSentences('`go test ./...` fails. So?').map(({ text }) => text)).toEqual(['`go test ./...` fails.', 'So?'])
  })

  it('of hostile length and shape is read in bounded work', () => {
    for (const piece of ['I ran ', 'a.b/', '`', 'tests ', '1 of ', 'also ', '- ', 'not ']) {
      const text = piece.repeat(200_000)
      expect(splitSentences(text).flatMap((each) => findClaims(each.text)).length).toBeLessThan(100_000)
      classifyCommand(text)
      readCounts(text)
    }
  })
})

describe('the numbers of', () => {
  it.each([
    ['vitest', ' Test Files  1 failed | 1 passed (2)\n      Tests  3 failed | 9 passed | 1 skipped (13)\n', 9, 3],
    ['vitest in colours', '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m12 passed\u001b[39m\u001b[22m (12)\n', 12, 0],
    ['jest', 'Tests:       1 failed, 11 passed, 12 total\n', 11, 1],
    ['pytest', '===== 2 failed, 6 passed, 1 warning in 0.42s =====\n', 6, 2],
    ['pytest, quiet', '8 passed in 0.31s\n', 8, 0],
    ['unittest', 'Ran 12 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n', 9, 3],
    [
      'cargo, several crates',
      'test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n',
      7,
      1,
    ],
    ['node', '# tests 4\n# pass 3\n# fail 1\n', 3, 1],
    ['node, spec', 'ℹ tests 4\nℹ pass 4\nℹ fail 0\n', 4, 0],
    ['mocha', '  12 passing (34ms)\n  1 failing\n', 12, 1],
    ['rspec', '12 examples, 1 failure\n', 11, 1],
    ['phpunit', 'OK (12 tests, 30 assertions)\n', 12, 0],
    ['phpunit, failing', 'Tests: 12, Assertions: 30, Failures: 2.\n', 10, 2],
    ['dotnet', 'Failed!  - Failed:     2, Passed:    10, Skipped:     0, Total:    12\n', 10, 2],
    ['ctest', '92% tests passed, 1 tests failed out of 12\n', 11, 1],
    ['go', '--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n', 1, 1],
  ])('%s are read', (_name, output, passed, failed) => {
    expect(readCounts(output)).toEqual({ passed, failed, total: passed + failed })
  })

  it('anything else are not', () => {
    expect(readCounts('12 files changed\nall passed\n')).toBeNull()
  })
})

describe('the command', () => {
  it.each([
    ['npm test', ['test']],
    ['npm run test:unit', ['test']],
    ['pnpm -r test', ['test']],
    ['python -m pytest -q', ['test']],
    ['go test ./...', ['test']],
    ['cargo test --workspace', ['test']],
    ['node --test', ['test']],
    ['make test', ['test']],
    ['npx tsc --noEmit', ['types', 'build']],
    ['npx biome check .', ['lint']],
    ['npm run build', ['build']],
    ['make', ['build']],
    ['gcc -o a a.c', ['build']],
    ['ls -la', []],
    ['cat test.txt', []],
    ['git status', []],
  ])('%s checks %j', (command, kinds) => {
    expect(classifyCommand(command)).toEqual(kinds)
  })
})
