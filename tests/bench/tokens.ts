/** Tokens at the pace of a model, through the product and through a bare relay: how late the first one is here, and the others. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Part, says, streams } from '../support/script.ts'
import { need, type ScriptClient, signUp } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'
import { type Figure, median } from './measure.ts'

const rounds = 7
const tokens = 50
/** Milliseconds between two tokens: a hundred a second. */
const pace = 10

export async function benchTokens(): Promise<Figure[]> {
  const clock = new TokenClock()
  const endpoint = await startScriptedEndpoint({ steps: () => streams(clock.script()) })
  const relay = await startRelay(endpoint.baseUrl)
  await using server = await ServerProcess.start()
  try {
    const client = await signUp(server.url, server.setupCode)
    need(await client.provider.create({ name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }))
    const ways = {
      ours: { first: [] as number[], later: [] as number[], read: (seen: Seen) => readRun(client, seen) },
      relay: { first: [] as number[], later: [] as number[], read: (seen: Seen) => readStream(relay.baseUrl, seen) },
      direct: { first: [] as number[], later: [] as number[], read: (seen: Seen) => readStream(endpoint.baseUrl, seen) },
    }
    for (const way of Object.values(ways)) await clock.time(way.read)
    for (let round = 0; round < rounds; round += 1) {
      for (const way of Object.values(ways)) {
        const { first, later } = await clock.time(way.read)
        way.first.push(first)
        way.later.push(...later)
      }
    }
    const { ours, relay: through, direct } = ways
    return [
      figure('asked to first token, over the model', ours.first, { name: 'a bare relay', values: through.first }, '≤ 2 ×'),
      figure('the same', ours.first, { name: 'reading the endpoint', values: direct.first }),
      figure('a later token, sent to here', ours.later, { name: 'a bare relay', values: through.later }, '≤ 1.5 ×'),
      figure('the same', ours.later, { name: 'reading the endpoint', values: direct.later }),
    ]
  } finally {
    relay.child.kill()
    await endpoint.close()
  }
}

type Seen = (text: string) => void

/** When each token was sent, and when it was here. */
class TokenClock {
  #sent: number[] = []

  script(): readonly Part[] {
    this.#sent = []
    const sent = this.#sent
    return Array.from({ length: tokens }, (_, at): Part[] => {
      const mark: Part = {
        type: 'until',
        get ready() {
          sent.push(performance.now())
          return Promise.resolve()
        },
      }
      return [mark, says(`t${at} `), { type: 'wait', ms: pace }]
    }).flat()
  }

  /** Milliseconds: of the first token from the question on, less what the model took; of the later ones from their sending on. */
  async time(read: (seen: Seen) => Promise<void>): Promise<{ readonly first: number; readonly later: readonly number[] }> {
    const here: number[] = []
    const asked = performance.now()
    await read((text) => {
      for (const [, at] of text.matchAll(/t(\d+) /g)) here[Number(at)] ??= performance.now()
    })
    if (here.length !== tokens) throw new Error(`${here.length} of ${tokens} tokens came`)
    const lags = here.map((at, token) => at - (this.#sent[token] ?? 0))
    return { first: (here[0] ?? 0) - asked, later: lags.slice(1) }
  }
}

async function readRun(client: ScriptClient, seen: Seen): Promise<void> {
  const { run } = need(await client.run.start({ prompt: 'Count.' }))
  for await (const frame of client.run.stream({ runId: run.id })) if (frame.kind === 'text') seen(frame.text)
}

async function readStream(baseUrl: string, seen: Seen): Promise<void> {
  const body = JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: 'Count.' }] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body, headers })
  for await (const chunk of response.body ?? []) seen(Buffer.from(chunk).toString())
}

async function startRelay(target: string): Promise<{ readonly child: ChildProcess; readonly baseUrl: string }> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('./relay-server.ts')), target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [address] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, baseUrl: `${address.toString().trim()}/v1` }
}

function figure(
  name: string,
  values: readonly number[],
  beside: { readonly name: string; readonly values: readonly number[] },
  goal?: string,
): Figure {
  const compared = { name: beside.name, value: median(beside.values) }
  return { name, value: median(values), unit: 'ms', beside: compared, ...(goal && { goal }) }
}
