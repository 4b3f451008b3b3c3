import type { ProbeFrame } from '@bridlewise/shared/wire'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { personalities, profileOf, scriptOf } from '../../tests/support/personalities.ts'
import { codeOf, endOf, kindsOf, mustOk, openRunRoom, type RunRoom } from '../../tests/support/run-room.ts'
import { answersWith, type Script, type Step, silence } from '../../tests/support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../tests/support/scripted-endpoint.ts'
import { addUser, newId } from '../../tests/support/store.ts'
import { createProbes, findProfile, type Probes } from './index.ts'

let room: RunRoom
let probes: Probes
const faults: unknown[] = []
const endpoints: ScriptedEndpoint[] = []
beforeEach(async () => {
  room = await openRunRoom()
  const clock = { now: Date.now, elapsed: () => performance.now() }
  const reportFault = (fault: unknown) => `fault-${faults.push(fault)}`
  probes = createProbes({ store: room.store, bridge: room.bridge, clock, ids: { next: newId }, reportFault })
})
afterEach(async () => {
  await probes.close()
  for (const endpoint of endpoints.splice(0)) await endpoint.close()
  await room[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

async function openEndpoint(script: Script, kind = 'custom') {
  const endpoint = await startScriptedEndpoint(script)
  endpoints.push(endpoint)
  const providerId = room.addProvider(endpoint.baseUrl, { kind, apiKey: 'probe-key' })
  return { endpoint, model: { providerId, modelId: 'scripted' } }
}

async function framesOf(probeId: string, last = 0): Promise<ProbeFrame[]> {
  const frames: ProbeFrame[] = []
  const watched = mustOk(probes.watch(room.owner, { probeId, last }, AbortSignal.timeout(20_000)))
  for await (const frame of watched) frames.push(frame)
  return frames
}

describe('an endpoint', () => {
  it.each(personalities.map((one) => [one.name, one] as const))(
    'that %s is probed, and a run of two tools ends well',
    async (_, one) => {
      const { endpoint, model } = await openEndpoint(scriptOf(one), one.kind)
      const { id: projectId } = await room.addProject()
      const frames = await framesOf(mustOk(probes.start(room.owner, model)))
      expect(frames.at(-1)).toMatchObject({ kind: 'ended', outcome: 'stored' })
      expect(findProfile(room.store, room.owner, model)).toMatchObject({ source: 'probed', profile: profileOf(one) })
      const probed = endpoint.received.length

      const { id } = mustOk(await room.start({ projectId }))
      const run = await room.watch(id)
      expect(endOf(run)?.outcome).toMatchObject({ kind: 'completed' })
      expect(kindsOf(run).filter((kind) => kind === 'result')).toHaveLength(one.is.calls === 'none' ? 0 : 2)
      expect(endpoint.received.length - probed).toBe(one.is.calls === 'none' ? 1 : 3)
      expect(endpoint.problems).toEqual([])
    },
  )
})

describe('a probe', () => {
  it('stands in the ledger request by request, and holds no word of a person', async () => {
    const { endpoint, model } = await openEndpoint({ steps: () => answersWith('ready') })
    await framesOf(mustOk(probes.start(room.owner, model)))
    const { items } = room.store.ledger.list(room.owner, { limit: 200 })
    const sizes = items.flatMap((beat) => (beat.kind === 'request' ? [beat.payload.egress.bytes] : []))
    const departed = room.store.departures.recent(room.owner, { limit: 500 }).items
    expect(departed.map(({ egress }) => egress.bytes).toReversed()).toEqual(sizes)
    expect(sizes).toEqual(endpoint.received.map(({ raw }) => raw.length))
    expect(Buffer.concat(endpoint.received.map(({ raw }) => raw)).toString()).not.toContain(room.temp.homes.data)
  })

  it('is given again while it is under way, and another model has to wait', async () => {
    const { model } = await openEndpoint({ steps: () => silence })
    const probeId = mustOk(probes.start(room.owner, model))
    expect(mustOk(probes.start(room.owner, model))).toBe(probeId)
    expect(probes.current(room.owner)).toEqual({ probeId, ...model })
    expect(probes.current(addUser(room.temp, 'bob'))).toBeNull()
    const { model: other } = await openEndpoint({ steps: () => silence })
    expect(codeOf(probes.start(room.owner, other))).toBe('probe_under_way')
  })

  it('that is cancelled sends nothing more and stores nothing', async () => {
    const arrived = Promise.withResolvers<void>()
    const steps = (_: unknown, count: number): Step => {
      if (count < 2) return answersWith('ready')
      arrived.resolve()
      return silence
    }
    const { endpoint, model } = await openEndpoint({ steps })
    const probeId = mustOk(probes.start(room.owner, model))
    await arrived.promise
    expect(codeOf(probes.cancel(addUser(room.temp, 'bob'), probeId))).toBe('thing_unknown')
    mustOk(probes.cancel(room.owner, probeId))
    const frames = await framesOf(probeId)
    expect(frames.at(-1)).toMatchObject({ kind: 'ended', outcome: 'cancelled' })
    expect(probes.current(room.owner)).toBeNull()
    expect(endpoint.received).toHaveLength(3)
    expect(findProfile(room.store, room.owner, model)).toBeNull()
    expect(await framesOf(probeId, frames.length - 1)).toEqual(frames.slice(-1))
  })

  it('of a provider that goes meanwhile leaves nothing', async () => {
    const going = Promise.withResolvers<void>()
    const { model } = await openEndpoint({
      steps: (_, count) => {
        if (count === 0) going.resolve()
        return answersWith('ready')
      },
    })
    const probeId = mustOk(probes.start(room.owner, model))
    await going.promise
    mustOk(room.store.providers.remove(room.owner, model.providerId))
    expect((await framesOf(probeId)).at(-1)).toMatchObject({ outcome: 'cancelled' })
    expect(room.store.settings.get(room.owner, 'profiles')).toBeNull()
  })

  it('of somebody else is not there', async () => {
    const { model } = await openEndpoint({ steps: () => silence })
    const probeId = mustOk(probes.start(room.owner, model))
    const bob = addUser(room.temp, 'bob')
    expect(codeOf(probes.start(bob, model))).toBe('thing_unknown')
    expect(codeOf(probes.watch(bob, { probeId, last: 0 }, new AbortController().signal))).toBe('thing_unknown')
  })
})
