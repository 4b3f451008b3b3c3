/** A hundred thousand frames of one run, live and then from the store of a server that has just started: from the start, and by the last number seen. */
import { finishes, type Part, streams, uses } from '../support/script.ts'
import { need, type ScriptClient, signUp } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { type Figure, median } from './measure.ts'
import { busyMilliseconds, mostResidentMegabytes, residentMegabytes } from './watch.ts'

const rounds = 3
const pieces = 100_000

export async function benchReplay(): Promise<Figure[]> {
  const endpoint = await startScriptedEndpoint({ steps: () => alternating })
  await using server = await ServerProcess.start()
  try {
    const client = await signUp(server.url, server.setupCode)
    need(await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }))
    const { run } = need(await client.run.start({ prompt: 'Say a lot.' }))
    const live = await read(client, run.id, null)
    await server.kill('SIGTERM')
    await server.restart()
    const resting = residentMegabytes(server.pid)
    const half = Math.floor(live.frames / 2)

    const whole: number[] = []
    const rest: number[] = []
    let busy = 0
    for (let round = 0; round < rounds; round += 1) {
      const before = busyMilliseconds(server.pid)
      const all = await read(client, run.id, null)
      busy += (busyMilliseconds(server.pid) - before) / rounds
      const later = await read(client, run.id, half)
      if (all.frames !== live.frames || later.frames !== live.frames - half) throw new Error('not every frame came back')
      whole.push(all.ms)
      rest.push(later.ms)
    }
    const perSecond = (frames: number, ms: number) => (frames / ms) * 1000
    return [
      {
        name: `${live.frames} frames from the start`,
        value: median(whole),
        unit: 'ms',
        beside: { name: 'the same frames live', value: live.ms },
      },
      { name: 'the same', value: perSecond(live.frames, median(whole)), unit: '/s' },
      { name: 'CPU of the server for it', value: busy, unit: 'ms' },
      { name: 'the half after the last number seen', value: median(rest), unit: 'ms' },
      { name: 'the same', value: perSecond(live.frames - half, median(rest)), unit: '/s' },
      {
        name: 'most memory of the server meanwhile',
        value: mostResidentMegabytes(server.pid),
        unit: 'MB',
        beside: { name: 'before it', value: resting },
      },
    ]
  } finally {
    await endpoint.close()
  }
}

/** Thoughts and words in turn: their order is kept, so that each is a frame of its own. */
const alternating = streams(
  [
    {
      type: 'raw',
      text: Array.from({ length: pieces }, (_, at) => {
        const delta = at % 2 === 0 ? { reasoning_content: `t${at} ` } : { content: `w${at} ` }
        return `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
      }).join(''),
    } satisfies Part,
    finishes('stop'),
    uses(10, pieces),
  ],
  { dialect: { splitEvery: 16_384 } },
)

async function read(client: ScriptClient, runId: string, lastEventId: number | null) {
  const startedAt = performance.now()
  let frames = 0
  let end = 'no end'
  for await (const frame of client.run.stream({ runId }, lastEventId === null ? {} : { lastEventId })) {
    frames += 1
    if (frame.kind === 'ended') end = frame.run.status
  }
  if (end !== 'completed') throw new Error(`the run came to ${end}`)
  return { frames, ms: performance.now() - startedAt }
}
