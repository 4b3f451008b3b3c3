import { access, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildGuardian } from './build.ts'
import { probeHost } from './probe.ts'

let directory: string
const path = process.env['PATH']

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'build-'))
})

afterAll(async () => {
  process.env['PATH'] = path
  await rm(directory, { recursive: true, force: true })
})

describe('buildGuardian', () => {
  it('makes a program that answers, and leaves it alone while its sources stay the same', async () => {
    const binary = join(directory, 'guardian')
    expect(await buildGuardian(binary)).toMatchObject({ kind: 'built' })
    const made = await stat(binary)
    expect(await buildGuardian(binary)).toEqual({ kind: 'fresh' })
    expect((await stat(binary)).ctimeMs).toBe(made.ctimeMs)
    expect(await probeHost(binary)).toMatchObject({ ok: true })
  })

  it('says that there is no compiler, and keeps no program of other sources', async () => {
    const binary = join(directory, 'old')
    await writeFile(binary, 'of other sources')
    process.env['PATH'] = directory
    expect(await buildGuardian(binary)).toEqual({ kind: 'failed', problem: 'there is no C compiler' })
    process.env['PATH'] = path
    await expect(access(binary)).rejects.toThrow()
  })
})
