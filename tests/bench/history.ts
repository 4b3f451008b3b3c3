/** Ten thousand messages of a chat made into what a model reads, beside parsing the same text once. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { historyFromBeats, standingBeats } from '@bridlewise/engine'
import type { Beat } from '@bridlewise/shared/wire'
import { type Figure, interleave } from './measure.ts'

const messages = 10_000
const letters = 400

export async function benchHistory(): Promise<Figure[]> {
  const text = JSON.stringify(Array.from({ length: messages }, (_, at) => beatOf(at + 1)))
  const beats: Beat[] = JSON.parse(text)
  const taken = await interleave(
    15,
    () => time(() => historyFromBeats(standingBeats(beats)).length),
    () => time(() => JSON.parse(text).length),
  )
  const held = heldBy(() => historyFromBeats(standingBeats(beats)))
  const parsed = heldBy(() => JSON.parse(text))
  return [
    {
      name: `${messages.toLocaleString('en')} messages assembled`,
      value: taken.ours,
      unit: 'ms',
      beside: { name: 'JSON.parse of the same', value: taken.yardstick },
    },
    {
      name: 'what is held of them besides',
      value: held,
      unit: 'bytes',
      beside: { name: 'what parsing them holds', value: parsed },
    },
  ]
}

function beatOf(seq: number): Beat {
  const id = (noun: string, at: number) => `${noun}_${String(at).padStart(26, '0')}`
  const place = { id: id('beat', seq), seq, runId: id('run', seq >> 1), chatId: id('chat', 1), at: seq, derivation: [] }
  const role = seq % 2 === 1 ? 'user' : 'assistant'
  const source = role === 'user' ? 'user' : 'model'
  return { ...place, kind: 'message', source, payload: { messageId: id('message', seq), role, text: wordsOf(seq) } }
}

function wordsOf(seq: number): string {
  return `${seq} `.padEnd(letters, 'a few words ')
}

async function time(work: () => number): Promise<number> {
  const start = performance.now()
  if (work() !== messages) throw new Error('a message is missing')
  return performance.now() - start
}

/** Bytes of the heap that the outcome keeps alive. */
function heldBy(work: () => unknown): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const before = process.memoryUsage().heapUsed
  const outcome = work()
  collect()
  const held = process.memoryUsage().heapUsed - before
  if (outcome === null) throw new Error('nothing was made')
  return held
}
