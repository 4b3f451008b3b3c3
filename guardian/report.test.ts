import { describe, expect, it } from 'vitest'
import { createReportReader } from './report.ts'

const confined = '{"event":"confined","abi":7,"layers":["landlock","net"],"notCovered":["cpu and memory use"]}'

describe('createReportReader', () => {
  it('puts lines together from pieces', () => {
    const reader = createReportReader()
    for (const piece of [confined.slice(0, 20), `${confined.slice(20)}\n{"event":"ended","ex`, 'it":0,"signal":null}\n']) {
      reader.push(Buffer.from(piece))
    }
    expect(reader.lines).toEqual([
      { event: 'confined', abi: 7, layers: ['landlock', 'net'], notCovered: ['cpu and memory use'] },
      { event: 'ended', exit: 0, signal: null },
    ])
  })

  it.each([
    { title: 'a line without its end', text: confined },
    { title: 'something else', text: 'confined\n' },
    { title: 'a list', text: '["confined"]\n' },
    { title: 'an unknown event', text: '{"event":"blessed"}\n' },
  ])('takes $title for nothing', ({ text }) => {
    const reader = createReportReader()
    reader.push(Buffer.from(text))
    expect(reader.lines).toEqual([])
  })

  it('drops the name of a layer it does not know rather than repeat it', () => {
    const reader = createReportReader()
    reader.push(Buffer.from('{"event":"confined","abi":7,"layers":["landlock","magic"],"notCovered":[]}\n'))
    expect(reader.find('confined')?.layers).toEqual(['landlock'])
  })

  it('stops listening to a report without end', () => {
    const reader = createReportReader()
    reader.push(Buffer.alloc(70_000, 'x'))
    reader.push(Buffer.from(`\n${confined}\n`))
    expect(reader.find('confined')).toBeNull()
  })
})
