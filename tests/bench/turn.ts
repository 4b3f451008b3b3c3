/** From start to the first frame, from the endpoint's first byte to the first text, and a loop of twenty calls. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeGitProject } from '../support/git-project.ts'
import { answersWith, calls, finishes, type Part, type Step, says, streams, uses } from '../support/script.ts'
import { need, signUp } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { type Figure, interleave, median } from './measure.ts'
import { cpuMilliseconds, watch } from './watch.ts'

const rounds = 9
const loopCalls = 20

export async function benchTurn(): Promise<Figure[]> {
  using project = makeGitProject()
  let sentAt = 0
  const endpoint = await startScriptedEndpoint({
    steps: (request, count) => stepFor(JSON.stringify(request.body?.messages?.at(-1) ?? ''), count),
  })
  await using server = await ServerProcess.start()
  try {
    const client = await signUp(server.url, server.setupCode)
    need(await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }))
    const { project: added } = need(await client.project.create({ name: 'shares', path: project.path }))

    const firstFrames: number[] = []
    const timeTurn = async () => {
      const run = await watch(client, { prompt: 'Say hello.' })
      firstFrames.push(run.firstFrame)
      return run.firstText - (sentAt - run.startedAt)
    }
    const timeRelay = async () => {
      const startedAt = performance.now()
      return (await firstByteOfText(endpoint.baseUrl)) - (sentAt - startedAt)
    }
    await timeTurn()
    const edited = path.join(project.path, 'src/percent.ts')
    const original = readFileSync(edited, 'utf8')
    const first = await interleave(rounds, timeTurn, timeRelay)

    const cpuBefore = cpuMilliseconds(server.pid)
    const loops: number[] = []
    for (let round = 0; round < 5; round += 1) {
      writeFileSync(edited, original)
      loops.push((await watch(client, { prompt: 'loop', projectId: added.id })).ended)
      if (!readFileSync(edited, 'utf8').includes(comment(lastEdit))) throw new Error('not every edit of the loop was made')
    }
    const cpu = (cpuMilliseconds(server.pid) - cpuBefore) / loops.length

    const [withTools] = endpoint.received.filter(({ raw }) => raw.includes('"loop"'))
    return [
      { name: 'POST /api/run/start to the first frame', value: median(firstFrames), unit: 'ms' },
      {
        name: "endpoint's first byte to the first text frame",
        value: first.ours,
        unit: 'ms',
        beside: { name: 'reading the endpoint', value: first.yardstick },
        goal: '≤ 2 ×',
      },
      {
        name: `a call in a loop of ${loopCalls} (7 read, 7 edit, 6 confined)`,
        value: median(loops) / loopCalls,
        unit: 'ms',
        goal: '≤ 11 ms',
      },
      { name: 'CPU of that loop, server and commands', value: cpu, unit: 'ms', goal: '≤ 280 ms' },
      {
        name: `the first request, ${withTools?.body?.tools?.length} tools included`,
        value: withTools?.raw.length ?? 0,
        unit: 'bytes',
        goal: '≤ 7,350 with at least 12 tools',
      },
    ]
  } finally {
    await endpoint.close()
  }

  function stepFor(last: string, count: number): Step {
    const mark: Part = {
      type: 'until',
      get ready() {
        sentAt = performance.now()
        return Promise.resolve()
      },
    }
    if (last.includes('Say hello')) return streams([mark, says('Hello', ' there.'), finishes('stop'), uses(10, 2)])
    if (last.includes('"loop"')) position = 0
    const next = loop[position]
    position += 1
    return next ?? answersWith(`Done after ${count} requests.`)
  }
}

let position = 0
const lastEdit = Math.floor((loopCalls - 2) / 3)

/** The end of the file's first comment after so many edits; before the first it is at -1. */
function comment(edits: number): string {
  return edits < 0 ? 'whole percent. */' : `whole percent, as of ${edits}. */`
}

const loop: readonly Step[] = Array.from({ length: loopCalls }, (_, index): Step => {
  const round = Math.floor(index / 3)
  const call = [
    calls('read_file', { path: 'src/percent.ts' }),
    calls('edit', { edits: [{ path: 'src/percent.ts', old: comment(round - 1), new: comment(round) }] }),
    calls('execute_command', { command: `true ${round}` }),
  ][index % 3] as Part
  return streams([call, finishes('tool_calls'), uses(10, 10)])
})

/** Milliseconds until the first text of the endpoint itself is here. */
async function firstByteOfText(baseUrl: string): Promise<number> {
  const startedAt = performance.now()
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Say hello' }] })
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  let took = 0
  for await (const chunk of response.body ?? [])
    if (took === 0 && Buffer.from(chunk).includes('Hello')) took = performance.now() - startedAt
  return took
}
