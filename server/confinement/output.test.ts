import { describe, expect, it } from 'vitest'
import { createRecorder } from './output.ts'

const silent = () => {}

describe('createRecorder', () => {
  it('keeps both streams in the order they arrived, and standard output alone', () => {
    const recorder = createRecorder(100, silent)
    recorder.push('stdout', Buffer.from('one '))
    recorder.push('stderr', Buffer.from('two '))
    recorder.push('stdout', Buffer.from('three'))
    expect(recorder.finish()).toEqual({ output: 'one two three', stdout: 'one three', bytes: 13, cut: null })
  })

  it('decodes a character that arrives in pieces, also when the other stream speaks in between', () => {
    const recorder = createRecorder(100, silent)
    const euro = Buffer.from('€')
    recorder.push('stdout', euro.subarray(0, 1))
    recorder.push('stderr', Buffer.from('!'))
    recorder.push('stdout', euro.subarray(1))
    expect(recorder.finish()).toMatchObject({ output: '!€', stdout: '€', bytes: 4 })
  })

  it('shows bytes that are no text as such, and keeps counting bytes', () => {
    const recorder = createRecorder(100, silent)
    recorder.push('stdout', Buffer.from([0xff, 0x61]))
    expect(recorder.finish()).toMatchObject({ output: '\uFFFDa', bytes: 2 })
  })

  it.each([
    { limit: 10, chunks: ['abcdefghij'], output: 'abcdefghij', cut: null },
    { limit: 10, chunks: ['abcdefghijk'], output: 'abcde\n[1 bytes left out here]\nghijk', cut: /^1 of 11 bytes/ },
    { limit: 10, chunks: ['ab', 'cdefghijklmnop', 'qr', 's'], output: 'abcde\n[9 bytes left out here]\nopqrs', cut: /^9 of 19/ },
    { limit: 4, chunks: ['€€€'], output: '\n[9 bytes left out here]\n', cut: /^9 of 9/ },
    { limit: 8, chunks: ['a€€€b'], output: 'a€\n[3 bytes left out here]\n€b', cut: /^3 of 11/ },
  ])('keeps head and tail of $chunks to $limit bytes, whole characters only', ({ limit, chunks, output, cut }) => {
    const recorder = createRecorder(limit, silent)
    for (const chunk of chunks) recorder.push('stdout', Buffer.from(chunk))
    const recording = recorder.finish()
    expect(recording.output).toBe(output)
    if (cut === null) expect(recording.cut).toBeNull()
    else expect(recording.cut).toMatch(cut)
  })

  it('stays small under a flood', () => {
    const recorder = createRecorder(1_000, silent)
    const chunk = Buffer.alloc(65_536, 'x')
    for (let i = 0; i < 500; i++) recorder.push('stdout', chunk)
    const recording = recorder.finish()
    expect(recording.bytes).toBe(500 * 65_536)
    expect(recording.output.length).toBeLessThan(1_100)
  })

  it('tells the live listener until the limit, then that more is coming, then nothing', () => {
    const heard: string[] = []
    const recorder = createRecorder(4, (_, text) => heard.push(text))
    for (const text of ['abc', 'def', 'ghi', 'jkl']) recorder.push('stdout', Buffer.from(text))
    expect(heard).toEqual(['abc', 'def', expect.stringContaining('More is coming')])
  })
})
