/** Five thousand tokens as fast as they can be sent: how long after the model the last frame is here, and what it costs. */
import { finishes, type Part, streams, uses } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { type Figure, interleave, median } from './measure.ts'
import { cpuMilliseconds, residentMegabytes, watch } from './watch.ts'

const rounds = 7
const tokens = 5_000

export async function benchBurst(): Promise<Figure[]> {
  let firstAt = 0
  let lastAt = 0
  const mark = (note: () => void): Part => ({
    type: 'until',
    get ready() {
      note()
      return Promise.resolve()
    },
  })
  const step = streams(
    [
      mark(() => {
        firstAt = performance.now()
      }),
      { type: 'raw', text: burst },
      finishes('stop'),
      uses(10, tokens),
      mark(() => {
        lastAt = performance.now()
      }),
    ],
    { dialect: { splitEvery: 16_384 } },
  )
  const endpoint = await startScriptedEndpoint({ steps: () => step })
  await using server = await ServerProcess.start()
  try {
    const client = await signUp(server.url, server.setupCode)
    need(await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }))
    const lags: number[] = []
    const wall = async () => {
      const run = await watch(client, { prompt: 'Say a lot.' })
      lags.push(run.startedAt + run.ended - lastAt)
      return run.startedAt + run.ended - firstAt
    }
    await wall()
    lags.length = 0
    const cpuBefore = cpuMilliseconds(server.pid)
    const walls = await interleave(rounds, wall, async () => {
      await readWhole(endpoint.baseUrl)
      return performance.now() - firstAt
    })
    const cpu = (cpuMilliseconds(server.pid) - cpuBefore) / rounds
    const beside = { name: 'reading the endpoint', value: walls.yardstick }
    return [
      { name: `${tokens} tokens, first byte to the last frame`, value: walls.ours, unit: 'ms', beside },
      { name: "the last frame after the model's last byte", value: median(lags), unit: 'ms', goal: '≤ 72 ms' },
      { name: 'CPU of the server for it', value: cpu, unit: 'ms' },
      { name: 'resident memory, after load', value: residentMegabytes(server.pid), unit: 'MB', goal: '≤ 165 MB' },
    ]
  } finally {
    await endpoint.close()
  }
}

const burst = Array.from({ length: tokens }, (_, index) => {
  const chunk = { id: 'burst', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: `word${index} ` } }] }
  return `data: ${JSON.stringify(chunk)}\n\n`
}).join('')

async function readWhole(baseUrl: string): Promise<void> {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Say a lot.' }] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body, headers })
  await response.text()
}
