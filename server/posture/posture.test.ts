import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policyDigest } from '@bridlewise/engine'
import { mandatoryLayers, optionalLayers } from '@bridlewise/guardian'
import { makeRefusal } from '@bridlewise/shared/refusals'
import { describe, expect, it } from 'vitest'
import type { GuardianProbe } from '../confinement/index.ts'
import type { NetworkFacts } from '../network/index.ts'
import { comfortableBytes, openStore } from '../storage/index.ts'
import { confinementLines, confinementState } from './confinement-lines.ts'
import { authoritiesLine, proxyLine } from './network-lines.ts'
import { bindLine, crashLine, environmentLine, governanceLine, modelLine } from './server-lines.ts'
import { integrityLine, spaceLine, storageLines } from './storage-lines.ts'

const ready: GuardianProbe = {
  state: 'ready',
  abi: 7,
  layers: ['landlock', 'seccomp'],
  missing: [],
  notCovered: [],
  network: 'off',
  measuredAt: 1,
}

describe('the confinement', () => {
  it.each<[string, GuardianProbe, string]>([
    ['full when everything holds', ready, 'full'],
    ['partly there when a layer is missing', { ...ready, missing: [{ layer: 'user', reason: 'EPERM' }] }, 'partly'],
    ['partly there when a way to the network is open', { ...ready, network: 'partly' }, 'partly'],
    [
      'off when the guardian refuses',
      { state: 'refused', refusal: makeRefusal('guardian_missing', { remedy: 'x' }), measuredAt: 1 },
      'off',
    ],
  ])('is %s', (_what, probe, state) => {
    expect(confinementState(probe)).toBe(state)
  })

  it('names what is missing with the reason that the host gave, and a remedy', () => {
    const lines = confinementLines({
      ...ready,
      missing: [{ layer: 'user', reason: 'EPERM' }],
      notCovered: ['chmod of open files'],
    })
    expect(lines).toContainEqual(
      expect.objectContaining({
        id: 'power',
        state: 'off',
        evidence: expect.stringContaining('EPERM'),
        remedy: expect.any(String),
      }),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({ id: 'not-covered', state: 'partly', evidence: expect.stringContaining('chmod of open files') }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ id: 'files', state: 'enforced', remedy: null }))
  })

  it('says of a protection that holds in part which part', () => {
    const missing = [{ layer: 'user', reason: 'EPERM' }]
    const power = confinementLines({ ...ready, layers: ['capabilities'], missing }).find(({ id }) => id === 'power')
    expect(power).toMatchObject({ state: 'partly', evidence: expect.stringMatching(/capabilities.*refused user: EPERM/) })
  })

  it('misses no way to take the network away while another one holds', () => {
    const probe: GuardianProbe = { ...ready, layers: ['landlock', 'sockets'], missing: [{ layer: 'net', reason: 'EPERM' }] }
    expect(confinementState(probe)).toBe('full')
    expect(confinementLines(probe)).toContainEqual(
      expect.objectContaining({ id: 'command-network', state: 'enforced', evidence: expect.stringContaining('sockets') }),
    )
  })

  it.each([...mandatoryLayers, ...optionalLayers])('shows the layer %s, whether it holds or not', (layer) => {
    const held = confinementLines({ ...ready, layers: [layer] })
    expect(held.map(({ evidence }) => evidence).join()).toContain(layer)
    if (['net', 'sockets', 'tcp'].includes(layer)) return
    const lost = confinementLines({ ...ready, layers: [], missing: [{ layer, reason: 'EPERM' }] })
    expect(lost.map(({ evidence }) => evidence).join()).toContain(`refused ${layer}: EPERM`)
  })
})

describe('the environment', () => {
  it.each([
    [{ PATH: '/usr/bin', NODE_OPTIONS: '' }, 'enforced'],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'partly'],
    [{ NODE_OPTIONS: '--require /tmp/secret.js' }, 'partly'],
  ])('with %o is %s, and no value of it is shown', (environment, state) => {
    const line = environmentLine(environment)
    expect(line.state).toBe(state)
    expect(JSON.stringify(line)).not.toContain('secret.js')
  })
})

describe('the way to endpoints', () => {
  const straight: NetworkFacts = {
    proxy: null,
    named: [],
    authorities: { stored: [], named: false, fromEnvironment: 0 },
    sent: { direct: 2, proxied: 0, lastProxy: null },
  }
  const proxy = { source: 'environment', http: null, https: 'http://proxy.test:1', opened: true, exempt: '' } as const

  it('is nobody else, or a proxy that is named with what went through it and what cannot be known', () => {
    expect(proxyLine(straight)).toMatchObject({
      state: 'enforced',
      evidence: expect.stringContaining('2 requests went straight'),
    })
    const sent = { direct: 0, proxied: 1, lastProxy: '10.0.0.1:1' }
    const { state, evidence } = proxyLine({ ...straight, proxy, sent })
    expect(state).toBe('partly')
    for (const told of [
      'http://proxy.test:1',
      'environment',
      '1 request through a proxy, last to 10.0.0.1:1',
      'cannot be checked here',
    ])
      expect(evidence).toContain(told)
  })

  it('has the certificates of Node, or more, or fewer than somebody believes', () => {
    const line = (authorities: Partial<NetworkFacts['authorities']>) =>
      authoritiesLine({ ...straight, authorities: { ...straight.authorities, ...authorities } })
    expect(line({})).toMatchObject({ state: 'enforced' })
    expect(line({ named: true, fromEnvironment: 3 })).toMatchObject({
      state: 'partly',
      evidence: expect.stringContaining('3 from'),
    })
    expect(line({ named: true })).toMatchObject({
      evidence: expect.stringContaining('read no certificate'),
      remedy: expect.stringContaining('PEM'),
    })
    const stored = [{ fingerprint: 'f', name: 'CN=Ours', expiresAt: 1, pem: '' }]
    expect(line({ stored })).toMatchObject({ state: 'partly', evidence: expect.stringContaining('CN=Ours') })
  })
})

describe('a crash', () => {
  it.each([
    [{ core: 'none', reports: false }, 'enforced'],
    [{ core: 'some', reports: false }, 'partly'],
    [{ core: 'unknown', reports: false }, 'partly'],
    [{ core: 'none', reports: true }, 'partly'],
  ] as const)('with %o is %s', (memory, state) => {
    expect(crashLine(memory).state).toBe(state)
  })
})

describe('the store', () => {
  it('is asked what holds: journal, durability, sealing, modes', async () => {
    await using temp = await openTempStore()
    const states = new Map((await storageLines(temp.store)).map(({ id, state }) => [id, state]))
    for (const id of ['one-server', 'durable', 'whole', 'sealed', 'data-modes', 'keys-modes', 'key-use', 'one-key'])
      expect(states.get(id), id).toBe('enforced')
  })

  it.each([
    [integrityLine({ state: 'sound' }), 'enforced', ''],
    [integrityLine({ state: 'unchecked', reason: 'too large' }), 'partly', 'too large'],
    [integrityLine({ state: 'damaged', problem: 'a page is wrong' }), 'off', 'a page is wrong'],
    [spaceLine(2 ** 40), 'enforced', ''],
    [spaceLine(comfortableBytes - 1), 'partly', String(comfortableBytes - 1)],
    [spaceLine(null), 'partly', 'does not say'],
  ])('says what is known of its file and its disk: %j', (found, state, evidence) => {
    expect(found).toMatchObject({ state, evidence: expect.stringContaining(evidence) })
  })

  it('says so when a key sealed too often, and when a change of keys is not finished', async () => {
    await using temp = await openTempStore()
    const keys = [1, 2 ** 31].map((seals) => ({ id: String(seals), seals }))
    const lines = await storageLines({ ...temp.store, facts: () => ({ ...temp.store.facts(), keys }) })
    for (const id of ['key-use', 'one-key']) {
      expect(lines.find((line) => line.id === id)).toMatchObject({
        state: 'partly',
        remedy: expect.stringContaining('keys rotate'),
      })
    }
  })

  it('says so when somebody opened the key home after the start', async () => {
    await using temp = await openTempStore()
    writeFileSync(join(temp.store.homes.keys, 'copy-of-key'), '', { mode: 0o600 })
    chmodSync(join(temp.store.homes.keys, 'copy-of-key'), 0o644)
    const line = (await storageLines(temp.store)).find(({ id }) => id === 'keys-modes')
    expect(line).toMatchObject({
      state: 'off',
      evidence: expect.stringContaining('copy-of-key'),
      remedy: expect.stringContaining('chmod'),
    })
  })
})

describe('the server', () => {
  it.each([
    [{ address: '127.0.0.1', port: 1 }, 'enforced'],
    [{ address: '::1', port: 1 }, 'enforced'],
    [{ address: '0.0.0.0', port: 1 }, 'off'],
    [{ address: '192.168.1.2', port: 1 }, 'off'],
    [null, 'off'],
  ])('bound to %j is %s', (address, state) => {
    expect(bindLine(address).state).toBe(state)
  })

  it('never calls the preview a review, and counts no acceptance of other words', () => {
    const accepted = { acceptedBy: 'ada', acceptedAt: 0, policyDigest: policyDigest() }
    expect(governanceLine(accepted)).toMatchObject({ state: 'partly', evidence: expect.stringContaining('ada') })
    expect(governanceLine({ ...accepted, policyDigest: 'another' })).toMatchObject({ state: 'off' })
    expect(governanceLine(null)).toMatchObject({ state: 'off' })
  })

  it('says when words are recorded', () => {
    expect(modelLine(true)).toMatchObject({ state: 'off', evidence: expect.stringContaining('recorded') })
    expect(modelLine(false).state).toBe('enforced')
  })
})

async function openTempStore() {
  const base = mkdtempSync(join(tmpdir(), 'bridlewise-posture-'))
  const opened = await openStore({ data: join(base, 'data'), keys: join(base, 'keys') })
  if (!opened.ok) throw new Error(opened.refusal.message)
  const store = opened.value
  return {
    store,
    async [Symbol.asyncDispose]() {
      store.close()
      rmSync(base, { recursive: true })
    },
  }
}
