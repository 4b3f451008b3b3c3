/**
 * The recorded turn on the sample project. Only the model's words and calls are recorded; every
 * result is made anew by real tools, and each step says what it must find in the one before.
 */

export interface RecordedStep {
  /** Texts that the last result holds; empty for the first step. */
  readonly after: readonly string[]
  readonly words: string
  /** Null for the closing words. */
  readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> } | null
}

export interface Recording {
  /** What has to be asked, word for word. */
  readonly prompt: string
  readonly steps: readonly RecordedStep[]
}

const before = `  const minutes = Math.floor(milliseconds / 60_000)
  const seconds = Math.round((milliseconds % 60_000) / 1000)
`
const after = `  const total = Math.round(milliseconds / 1000)
  const minutes = Math.floor(total / 60)
  const seconds = total % 60
`

export const recording: Recording = {
  prompt: 'One test of this project fails. Find out why, fix the cause, and run the tests again.',
  steps: [
    {
      after: [],
      words: 'I will look at the project, then run its tests.',
      call: { name: 'list_files', arguments: { path: '.' } },
    },
    {
      after: ['package.json'],
      words: 'A small package with tests of its own. I will run them.',
      call: { name: 'execute_command', arguments: { command: 'node --test' } },
    },
    {
      after: ['fail 1', '1 min 60 s'],
      words: 'One of five tests fails: 119,600 ms is said as `1 min 60 s`. I will read the code that says it.',
      call: { name: 'read_file', arguments: { path: 'src/duration.js' } },
    },
    {
      after: ['const seconds = Math.round((milliseconds % 60_000) / 1000)'],
      words:
        'The minutes are split off before the seconds are rounded, so 59.6 s rounds up to 60 s and nothing carries it over. Rounding to whole seconds first removes the cause.',
      call: {
        name: 'edit',
        arguments: { edits: [{ path: 'src/duration.js', old: before, new: after }] },
      },
    },
    {
      after: ['src/duration.js'],
      words: 'Now the tests again.',
      call: { name: 'execute_command', arguments: { command: 'node --test' } },
    },
    {
      after: ['pass 5', 'fail 0'],
      words: [
        'All five tests pass.',
        '',
        '**Cause.** `speakDuration` split off whole minutes first and rounded the rest afterwards. A rest of 59.5 s or more was rounded up to 60 s and stayed there.',
        '',
        '**Fix.** `src/duration.js` now rounds to whole seconds once, then splits them into minutes and seconds. No test was changed.',
      ].join('\n'),
      call: null,
    },
  ],
}
