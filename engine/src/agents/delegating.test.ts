import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BeatKind, Receipt } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { childLimits } from './child-plan.ts'
import { castModel, delegates, playCast, type Task } from './test-children.ts'
import type { PlayedTurn } from './test-turn.ts'

const receipt: Receipt = { guardian: 'test', abi: 0, layers: [], notCovered: [], access: 'write', network: 'off', policy: '' }
const files = { 'a.txt': 'one\n', 'b.txt': 'one\n', 'lib/c.txt': 'one\n' }
const look = { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }
const change = (path: string) => ({ calls: [{ name: 'read_file', arguments: { path } }, edits(path)] })
const edits = (path: string) => ({ name: 'edit', arguments: { edits: [{ path, old: 'one', new: 'two' }] } })
const command = (line: string) => ({ calls: [{ name: 'execute_command', arguments: { command: line } }] })
const exits = (exitCode: number) => {
  const printed = { output: 'out\n', stdout: 'out\n', bytes: 4, cut: null, ms: 1, receipt }
  return async () => ({ kind: 'exited' as const, exitCode, signal: null, ...printed })
}

/** Kinds of the beats of the child of the `nth` call, or of the turn itself. */
function kindsWithin(turn: PlayedTurn, nth: number | null): BeatKind[] {
  const within = nth === null ? undefined : turn.payloads('child_started')[nth]?.callId
  return turn.beats.filter((beat) => beat.within === within).map(({ kind }) => kind)
}

describe('a task', () => {
  it('is done by a turn of its own, whose record says whose child it is and whose answer alone comes back', async () => {
    const cast = castModel({
      'Do it.': [delegates({ task: 'Look at a.txt.' }), { text: 'Seen.' }],
      'Look at a.txt.': [{ ...look, text: 'Looking.' }, { text: 'It says one.' }],
    })
    await using turn = await playCast(cast, { files })
    expect(turn.outcome).toMatchObject({ kind: 'completed', steps: 4, calls: 2 })
    expect(kindsWithin(turn, null)).toEqual(['request', 'response', 'call', 'result', 'request', 'response', 'message'])
    expect(kindsWithin(turn, 0)).toEqual([
      ...(['child_started', 'request', 'response', 'message', 'call', 'result'] as const),
      ...(['request', 'response', 'message', 'child_ended'] as const),
    ])
    const [result] = turn.payloads('result').filter(({ tool }) => tool === 'delegate')
    expect(result).toMatchObject({ status: 'done', summary: '2 requests', refusal: null })
    expect(result?.text).toContain('> It says one.')
    expect(result?.text).not.toContain('Looking.')
    expect(cast.requestsOf('Do it.')[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: result?.text })
    const [first] = cast.requestsOf('Look at a.txt.')
    expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(first?.messages[0]?.text).toContain('Change nothing')
    expect(turn.payloads('request').map(({ step }) => step)).toEqual([1, 2, 3, 4])
  })

  it('tells what changed and which commands ran how, whatever the child says', async () => {
    const cast = castModel({
      'Do it.': [delegates({ task: 'Change a.', paths: ['.'] }), { text: 'Done.' }],
      'Change a.': [change('a.txt'), command('npm test'), { text: 'All tests pass.' }],
    })
    await using turn = await playCast(cast, { files, process: exits(1) })
    expect(await readFile(join(turn.root, 'a.txt'), 'utf8')).toBe('two\n')
    const text = turn.payloads('result').at(-1)?.text
    expect(text).toContain('It changed a.txt (modified).')
    expect(text).toContain('`npm test` ended with 1')
    expect(turn.outcome.filesChanged).toEqual(['a.txt'])
  })

  it.each([
    ['without an answer', [{ text: '' }], 'It ended without an answer.', 'done'],
    ['at its limit', [look, look], 'cut short', 'failed'],
    ['with a megabyte', [{ text: 'x'.repeat(1_000_000) }], 'the record holds it whole', 'done'],
  ] as const)('that ends %s says so, in bounds', async (_how, answers, words, status) => {
    const cast = castModel({ 'Do it.': [delegates({ task: 'T', budget: { requests: 1 } }), { text: 'Hm.' }], T: answers })
    await using turn = await playCast(cast, { files })
    const result = turn.payloads('result').at(-1)
    expect(result).toMatchObject({ tool: 'delegate', status })
    expect(result?.text).toContain(words)
    expect(result?.text.length).toBeLessThan(childLimits.answer.bytes + 500)
    expect(turn.outcome.kind).toBe('completed')
  })

  it('leaves what it read and wrote to be read again by the turn that gave it', async () => {
    const again = { calls: [{ name: 'edit', arguments: { edits: [{ path: 'a.txt', old: 'two', new: 'three' }] } }] }
    const cast = castModel({
      'Do it.': [look, delegates({ task: 'Change a.', paths: ['a.txt'] }), again, look, again, { text: 'Done.' }],
      'Change a.': [change('a.txt'), { text: 'Changed.' }],
    })
    await using turn = await playCast(cast, { files })
    const codes = turn
      .payloads('result')
      .flatMap(({ tool, refusal, status }) => (tool === 'edit' ? [refusal?.code ?? status] : []))
    expect(codes).toEqual(['done', 'stale_file', 'done'])
  })
})

describe('what a child did', () => {
  it('is evidence for what it was, and what it says is none', async () => {
    const says = 'I ran `npm test` and all tests pass.'
    const play = (child: Parameters<typeof castModel>[0][string]) =>
      playCast(castModel({ 'Do it.': [delegates({ task: 'Test.', paths: ['.'] }), { text: says }], 'Test.': child }), {
        files,
        process: exits(0),
      })
    await using ran = await play([command('npm test'), { text: 'They pass.' }])
    expect(ran.payloads('claims').at(-1)?.claims[0]).toMatchObject({ verdict: 'supported' })
    await using said = await play([{ text: 'They pass.' }])
    expect(said.payloads('claims').at(-1)?.claims[0]).toMatchObject({ verdict: 'unsupported' })
  })
})

describe('tasks of one answer', () => {
  /** Children that count how many are in a command at once; the turn's own prompt is `Do it.`. */
  async function countAtOnce(tasks: readonly Task[]) {
    let now = 0
    let most = 0
    const process = async () => {
      now += 1
      most = Math.max(most, now)
      // Whoever else can be begun has been once the loop of events has gone round a few times.
      for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate)
      now -= 1
      return exits(0)()
    }
    const scripts = Object.fromEntries(tasks.map(({ task }) => [task, [command(`echo ${task}`), { text: `${task} is done.` }]]))
    await using turn = await playCast(castModel({ 'Do it.': [delegates(...tasks), { text: 'Hm.' }], ...scripts }), {
      files,
      process,
    })
    const told = turn.payloads('result').filter(({ tool }) => tool === 'delegate')
    return { most, answered: told.length, ended: turn.outcome.kind }
  }

  it.each([
    ['that only read run at once', [{ task: 'one' }, { task: 'two' }], 2],
    [
      'that change different paths run at once',
      [
        { task: 'one', paths: ['a.txt'] },
        { task: 'two', paths: ['lib'] },
      ],
      2,
    ],
    [
      'of which one changes what the other does run in turn',
      [
        { task: 'one', paths: ['lib/c.txt'] },
        { task: 'two', paths: ['lib'] },
      ],
      1,
    ],
    ['of which one may change everything run in turn', [{ task: 'one', paths: ['.'] }, { task: 'two' }], 1],
    ['beyond the number at once wait', [1, 2, 3, 4, 5, 6].map((n) => ({ task: `task ${n}` })), childLimits.atOnce],
  ] as const)('%s', async (_what, tasks, expected) => {
    expect(await countAtOnce(tasks)).toEqual({ most: expected, answered: tasks.length, ended: 'completed' })
  })

  it('give their results in the order of the calls, each with its words, and one that fails ends none of the others', async () => {
    const cast = castModel({
      'Do it.': [delegates({ task: 'slow' }, { task: 'broken' }, { task: '', paths: [] }, { task: 'fast' }), { text: 'Hm.' }],
      slow: [look, look, { text: 'Slow.' }],
      broken: [{ text: 'Half', ends: 'throws' }],
      fast: [{ text: 'Fast.' }],
    })
    await using turn = await playCast(cast, { files })
    const results = cast
      .requestsOf('Do it.')[1]
      ?.messages.filter(({ role }) => role === 'tool')
      .map(({ text }) => text)
    expect(results?.map((text) => /Slow|cut short|do not fit|Fast/.exec(text)?.[0])).toEqual([
      'Slow',
      'cut short',
      'do not fit',
      'Fast',
    ])
    const starts = turn.payloads('child_started').map(({ callId }) => callId)
    const words = turn.events.flatMap((event) =>
      event.type === 'text' && event.within ? [[starts.indexOf(event.within), event.text]] : [],
    )
    expect(words).toEqual(
      expect.arrayContaining([
        [0, 'Slow.'],
        [1, 'Half'],
        [2, 'Fast.'],
      ]),
    )
    expect(turn.outcome.kind).toBe('completed')
  })

  it('end with the turn when it is stopped, and nothing of them goes on', async () => {
    const cast = castModel({
      'Do it.': [delegates({ task: 'one' }, { task: 'two' })],
      one: [{ text: 'I', ends: 'deaf' }],
      two: [{ text: 'II', ends: 'waits' }],
    })
    let heard = 0
    await using turn = await playCast(cast, {
      files,
      onEvent: (event, abort) => {
        if (event.type === 'text' && ++heard === 2) abort()
      },
    })
    expect(turn.outcome.kind).toBe('cancelled')
    expect(turn.payloads('child_ended').map(({ outcome }) => outcome.kind)).toEqual(['cancelled', 'cancelled'])
    expect(turn.payloads('result').map(({ status }) => status)).toEqual(['killed', 'killed'])
  })
})
