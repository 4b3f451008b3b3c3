/** How much text a second the redactor goes through: ordinary texts and hostile ones, and what waits beside a long one. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createBoundedRedactor, createRedactor } from '@bridlewise/engine'
import { type Figure, median } from './measure.ts'

const rounds = 5
const size = 256 * 1024
const root = path.resolve(import.meta.dirname, '../..')
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
const settings = { salt: 'only for the bench', literals: Array.from({ length: 10 }, (_, at) => `a-stored-key-number-${at}`) }

const texts: Readonly<Record<string, string>> = {
  prose: fill(readFileSync(path.join(root, 'docs/security-and-limits.md'), 'utf8')),
  code: fill(readFileSync(path.join(root, 'server/storage/ledger.ts'), 'utf8')),
  'code that names secrets': fill(readFileSync(path.join(root, 'engine/src/privacy/formats/services.ts'), 'utf8')),
  'hostile: names without values': fill('password='),
  'hostile: the shortest beginnings': fill('sk nt od '),
  'hostile: invisible characters': fill('g\u200b'),
  'hostile: begins of keys': fill('-----BEGIN RSA PRIVATE KEY-----\n'),
}

export async function benchRedaction(): Promise<Figure[]> {
  const redactor = createRedactor(settings)
  const perSecond = (work: () => unknown) => {
    const began = performance.now()
    work()
    return size / 1e6 / ((performance.now() - began) / 1000)
  }
  const figures = Object.entries(texts).map(([name, text]): Figure => {
    const speeds = Array.from({ length: rounds }, () => perSecond(() => redactor.redact(text)))
    return { name: `${name}, MB`, value: median(speeds), unit: '/s' }
  })
  return [...figures, ...(await measureWaiting())]
}

/** A long hostile text goes to a thread; who waits beside it waits for nothing but its transfer. */
async function measureWaiting(): Promise<Figure[]> {
  const redactor = createBoundedRedactor(settings)
  const hostile = fill('password=')
  const first = performance.now()
  await redactor.redact(hostile)
  const cold = performance.now() - first
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const began = performance.now()
  await redactor.redact(hostile)
  const warm = performance.now() - began
  delay.disable()
  await redactor.close()
  return [
    { name: 'hostile 256 KiB on a thread, with its start', value: cold, unit: 'ms' },
    { name: 'hostile 256 KiB on a thread, started', value: warm, unit: 'ms' },
    { name: 'longest wait beside it', value: delay.max / 1e6, unit: 'ms', goal: '≤ 50 ms' },
  ]
}
