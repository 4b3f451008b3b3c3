import { describe, expect, it } from 'vitest'
import { createBoundedLog } from './log.ts'

const line = (level: number, msg = 'x') => `${JSON.stringify({ level, msg })}\n`

describe('a bounded log', () => {
  let at = 0
  const lines: string[] = []
  const log = createBoundedLog({
    stream: { write: (text: string) => lines.push(text) > 0 },
    elapsed: () => at,
    linesPerMinute: 3,
  })
  const levels = () => lines.splice(0).map((text) => JSON.parse(text) as { level: number; lines?: number })

  it('writes as many lines of a level as a minute has, and those of another level all the same', () => {
    for (let i = 0; i < 10; i += 1) log.write(line(40))
    log.write(line(50))
    expect(levels()).toEqual([...Array(3).fill({ level: 40, msg: 'x' }), { level: 50, msg: 'x' }])
  })

  it('says in the next minute how many were left out, once, and goes on', () => {
    at += 60_000
    log.write(line(40))
    expect(levels()).toMatchObject([{ level: 40, lines: 7 }, { level: 40 }])
    log.flush()
    expect(levels()).toEqual([])
  })

  it('says it at the end when no minute follows', () => {
    for (let i = 0; i < 5; i += 1) log.write(line(30))
    log.flush()
    expect(levels().at(-1)).toMatchObject({ level: 30, lines: 2 })
  })
})
