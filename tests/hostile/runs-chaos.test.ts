/**
 * Runs under everything at once: the server is killed, viewers drop and come back, everybody posts twice. Rounds are few in
 * the gate; `BRIDLEWISE_CHAOS_ROUNDS` asks for more, and `BRIDLEWISE_CHAOS_SEED` for those that were printed.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Frame } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { makeGitProject } from '../support/git-project.ts'
import { calls, finishes, type Part, type Received, type Step, says, streams } from '../support/script.ts'
import { need, type ScriptClient, signUp } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'

const rounds = Number(process.env['BRIDLEWISE_CHAOS_ROUNDS'] ?? 3)
const seed = Number(process.env['BRIDLEWISE_CHAOS_SEED'] ?? Date.now() % 1_000_000)
const pieces = 12

it(
  `bills one request a step, and every viewer ends with the same frames (seed ${seed})`,
  async () => {
    const random = randomFrom(seed)
    const scripts = new Map<string, Step>()
    const stepFor = (body: string) =>
      [...scripts].findLast(([prompt]) => body.includes(prompt))?.[1] ?? streams([finishes('stop')])
    await using endpoint = await startScriptedEndpoint({ steps: ({ raw }) => stepFor(raw.toString()) })
    await using server = await ServerProcess.start()
    const client = await signUp(server.url, server.setupCode)
    const provider = { name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
    need(await client.provider.create(provider))

    for (let round = 0; round < rounds; round += 1) {
      const prompt = `round-${round}-${randomUUID()}`
      const gates = Array.from({ length: pieces }, () => Promise.withResolvers<void>())
      const parts = gates.flatMap((gate, at): Part[] => [says(`w${at} `), { type: 'until', ready: gate.promise }])
      scripts.set(prompt, streams([...parts, finishes('stop')]))
      const post = { idempotencyKey: randomUUID() }
      const starts = await Promise.all([1, 2, 3].map(() => client.run.start({ prompt, mode: 'plan' }, post)))
      const ids = new Set(starts.map((start) => need(start).run.id))
      expect(ids.size).toBe(1)
      const runId = [...ids].join()

      let up = Promise.resolve()
      const viewers = [1, 2, 3].map(() => watch(client, runId, () => up))
      const killAt = Math.floor(random() * pieces * 2)
      for (const [at, gate] of gates.entries()) {
        await Promise.race([viewers[at % 3]?.sees(`w${at} `), viewers[at % 3]?.whole])
        for (const viewer of viewers) if (random() < 0.3) viewer.drop()
        if (at === killAt) {
          await server.kill()
          up = server.restart()
          await up
          expect(need(await client.run.start({ prompt, mode: 'plan' }, post)).run.id).toBe(runId)
        }
        gate.resolve()
      }
      const whole = await replay(client, runId)
      for (const viewer of viewers) expect(await viewer.whole).toEqual(whole)
      expect(whole.map(({ number }) => number)).toEqual(whole.map((_, at) => at + 1))
      expect(whole.filter(({ kind }) => kind === 'ended')).toHaveLength(1)
      expect(whole.at(-1)).toMatchObject({ run: { status: killAt < pieces ? 'interrupted' : 'completed' } })
      expect(endpoint.received.filter(({ raw }) => raw.includes(`"${prompt}"`))).toHaveLength(1)
    }
  },
  30_000 + rounds * 10_000,
)

it(
  `kills a run with a command and an edit at any instant, and neither is made twice (seed ${seed})`,
  async () => {
    const random = randomFrom(seed)
    using project = makeGitProject()
    await using endpoint = await startScriptedEndpoint({ steps: working })
    await using server = await ServerProcess.start()
    const client = await signUp(server.url, server.setupCode)
    const provider = { name: 'Scripted', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
    need(await client.provider.create(provider))
    const { project: added } = need(await client.project.create({ name: 'shares', path: project.path }))

    // The first round is left alone, and says how long there is to kill the others.
    let lasts = 0
    for (let round = 0; round <= rounds; round += 1) {
      const prompt = `round-${round}-${randomUUID()}`
      writeFileSync(join(project.path, `${prompt}.note`), 'begun')
      const task = { prompt, projectId: added.id }
      const post = { idempotencyKey: randomUUID() }
      const { run } = need(await client.run.start(task, post))
      const startedAt = performance.now()
      let up = Promise.resolve()
      const viewers = [1, 2].map(() => watch(client, run.id, () => up))
      const killAfter = random() * lasts
      if (round === 0) {
        await viewers[0]?.whole
        lasts = performance.now() - startedAt
      } else {
        await wait(killAfter)
        for (const viewer of viewers) if (random() < 0.5) viewer.drop()
        await server.kill()
        up = server.restart()
        await up
        expect(need(await client.run.start(task, post)).run.id).toBe(run.id)
      }

      const where = round === 0 ? 'left alone' : `killed after ${killAfter} of ${lasts} ms`
      const whole = await replay(client, run.id)
      for (const viewer of viewers) expect(await viewer.whole, where).toEqual(whole)
      const end = whole.at(-1)
      const status = end?.kind === 'ended' ? end.run.status : 'no end'
      expect(round === 0 ? ['completed'] : ['completed', 'interrupted'], where).toContain(status)

      const steps = endpoint.received.filter(({ raw }) => raw.includes(`"${prompt}"`)).map(stepOf)
      expect(steps, where).toEqual(steps.map((_, at) => at))
      if (status === 'completed') expect(steps, where).toHaveLength(4)
      const made = [read(project.path, `${prompt}.ran`), read(project.path, `${prompt}.note`)]
      const known = results(whole)
      expect(known[0] === 'done' ? ['ran\n'] : ['', 'ran\n'], where).toContain(made[0])
      expect(known[2] === 'done' ? ['begun, done'] : ['begun', 'begun, done'], where).toContain(made[1])
      if (status === 'completed') expect(known, where).toEqual(['done', 'done', 'done'])
    }
  },
  60_000 + rounds * 10_000,
)

/** A command, an edit of what was read, then words: each after the answer before it. Both show on the disk how often they were made. */
function working(request: Received): Step {
  const prompt = request.body?.messages?.findLast(({ role }) => role === 'user')?.content
  const command = calls('execute_command', { command: `echo ran >> ${prompt}.ran; sleep 0.1` })
  const edit = calls('edit', { edits: [{ path: `${prompt}.note`, old: 'begun', new: 'begun, done' }] })
  const step = [command, calls('read_file', { path: `${prompt}.note` }), edit][stepOf(request)]
  return step ? streams([says('Next. '), step, finishes('tool_calls')]) : streams([says('Done.'), finishes('stop')])
}

/** Which step of a run is asked for, from 0. */
function stepOf({ body }: Received): number {
  return body?.messages?.filter(({ role }) => role === 'tool').length ?? 0
}

function results(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) => (frame.kind === 'beat' && frame.beat.kind === 'result' ? [frame.beat.payload.status] : []))
}

function read(root: string, name: string): string {
  const file = join(root, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Somebody who comes back after every loss, with the number of the last frame they have. */
function watch(client: ScriptClient, runId: string, up: () => Promise<void>) {
  const frames: Frame[] = []
  let line = new AbortController()
  let news = Promise.withResolvers<void>()
  const follow = async () => {
    for (;;) {
      await up()
      line = new AbortController()
      const last = frames.at(-1)?.number
      const from = { signal: line.signal, ...(last === undefined ? {} : { lastEventId: last }) }
      for await (const frame of client.run.stream({ runId }, from)) {
        frames.push(frame)
        news.resolve()
        news = Promise.withResolvers()
        if (frame.kind === 'ended') return frames
      }
    }
  }
  const said = () => frames.map((frame) => (frame.kind === 'text' ? frame.text : '')).join('')
  return {
    whole: follow(),
    drop: () => line.abort(),
    async sees(words: string) {
      while (!said().includes(words)) await news.promise
    },
  }
}

async function replay(client: ScriptClient, runId: string): Promise<Frame[]> {
  const frames: Frame[] = []
  for await (const frame of client.run.stream({ runId })) frames.push(frame)
  return frames
}

/** The same numbers for the same seed. */
function randomFrom(start: number): () => number {
  let state = start || 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
