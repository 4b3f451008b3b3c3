/** Twenty runs at the pace of a model and one at twenty times that: how late the last frame is, and how the server answers others meanwhile. */
import { setTimeout as wait } from 'node:timers/promises'
import { finishes, type Part, says, streams } from '../support/script.ts'
import { need, type ScriptClient, signUp } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { type Figure, median, percentile } from './measure.ts'
import { busyMilliseconds } from './watch.ts'

interface Load {
  readonly name: string
  readonly runs: number
  /** Tokens of one sending, and milliseconds between two. */
  readonly tokens: number
  readonly everyMs: number
  readonly sendings: number
}

const loads: readonly Load[] = [
  { name: '20 runs at 100 tokens/s', runs: 20, tokens: 1, everyMs: 10, sendings: 300 },
  { name: 'a run at 2,000 tokens/s', runs: 1, tokens: 20, everyMs: 10, sendings: 300 },
]

export async function benchParallel(): Promise<Figure[]> {
  const sentAt = new Map<string, number>()
  let load: Load | undefined
  const endpoint = await startScriptedEndpoint({
    steps: ({ body }) => {
      const asked = String(body?.messages?.findLast(({ role }) => role === 'user')?.content ?? '')
      return streams(paced(load as Load, () => sentAt.set(asked, performance.now())))
    },
  })
  await using server = await ServerProcess.start()
  try {
    const client = await signUp(server.url, server.setupCode)
    need(await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }))
    const figures: Figure[] = []
    for (const each of loads) {
      load = each
      const through = (asked: string) => readRun(client, asked)
      const direct = (asked: string) => readStream(endpoint.baseUrl, asked)
      const lagsOf = async (read: (asked: string) => Promise<void>, round: string) => {
        const lags = Array.from({ length: each.runs }, async (_, at) => {
          const asked = `${each.name}, ${round} ${at}`
          await read(asked)
          return performance.now() - (sentAt.get(asked) ?? Number.NaN)
        })
        return Promise.all(lags)
      }
      await lagsOf(through, 'warm')
      const yardstick = await lagsOf(direct, 'direct')
      const probe = watchHealth(server.url)
      const busyBefore = busyMilliseconds(server.pid)
      const startedAt = performance.now()
      const lags = await lagsOf(through, 'ours')
      const took = performance.now() - startedAt
      const busy = busyMilliseconds(server.pid) - busyBefore
      const answers = await probe.stop()
      figures.push(
        {
          name: `${each.name}: the last frame after the model's last word`,
          value: median(lags),
          unit: 'ms',
          beside: { name: 'reading the endpoint', value: median(yardstick) },
        },
        { name: 'the latest of them', value: Math.max(...lags), unit: 'ms' },
        { name: 'an answer of /api/health meanwhile, p50', value: median(answers), unit: 'ms' },
        { name: 'the same, p99', value: percentile(answers, 99), unit: 'ms' },
        { name: 'CPU of the server, of one core', value: (busy / took) * 100, unit: '%' },
      )
    }
    return figures
  } finally {
    await endpoint.close()
  }
}

/** By the clock: a timer that is late sends what is due, so that the pace is kept. */
function paced({ tokens, everyMs, sendings }: Load, note: () => void): Part[] {
  let firstAt = 0
  const sending = (at: number): Part[] => [
    {
      type: 'until',
      get ready() {
        firstAt ||= performance.now()
        return wait(Math.max(0, firstAt + at * everyMs - performance.now()))
      },
    },
    says(...Array.from({ length: tokens }, (_, token) => `t${at * tokens + token} `)),
  ]
  const last: Part = {
    type: 'until',
    get ready() {
      note()
      return Promise.resolve()
    },
  }
  return [...Array.from({ length: sendings }, (_, at) => sending(at)).flat(), last, finishes('stop')]
}

async function readRun(client: ScriptClient, prompt: string): Promise<void> {
  const { run } = need(await client.run.start({ prompt }))
  for await (const frame of client.run.stream({ runId: run.id })) {
    if (frame.kind === 'ended' && frame.run.status !== 'completed') throw new Error(JSON.stringify(frame.run.outcome))
  }
}

async function readStream(baseUrl: string, content: string): Promise<void> {
  const body = JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content }] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body, headers })
  await response.text()
}

/** Somebody else who asks the server something small, again and again. */
function watchHealth(url: string) {
  const answers: number[] = []
  let isAsking = true
  const asked = (async () => {
    while (isAsking) {
      const at = performance.now()
      const response = await fetch(`${url}/api/health`)
      await response.text()
      answers.push(performance.now() - at)
      await wait(5)
    }
    return answers
  })()
  return {
    stop: () => {
      isAsking = false
      return asked
    },
  }
}
