import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStore } from '../storage/index.ts'
import { backup, restore } from './backup.ts'
import { doctor } from './doctor.ts'

let base: string
let environment: NodeJS.ProcessEnv
let printed: string
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-cli-'))
  environment = { HARNESS_WEB_DATA: join(base, 'data'), HARNESS_WEB_KEYS: join(base, 'keys') }
  const opened = await openStore({ data: join(base, 'data'), keys: join(base, 'keys') })
  if (opened.ok) opened.value.close()
  printed = ''
  const take = (text: string | Uint8Array) => {
    printed += String(text)
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(take)
  vi.spyOn(process.stderr, 'write').mockImplementation(take)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(base, { recursive: true, force: true })
})

describe('the commands', () => {
  it('back up, say that the keys are apart, and restore', async () => {
    const file = join(base, 'kept.db')
    expect(await backup(environment, [file])).toBe(0)
    expect(existsSync(file)).toBe(true)
    expect(printed).toContain('The keys are not in it')
    expect(await backup(environment, [file])).toBe(1)
    expect(printed).toContain('[backup_target_unusable]')
    expect(await restore(environment, [file])).toBe(0)
    expect(printed).toContain('What was there lies in')
  })

  it.each([
    ['backup', backup, []],
    ['restore', restore, ['one', 'two']],
    ['doctor', doctor, ['--xml']],
  ])('%s answers 2 to words that it does not know', async (_name, command, words) => {
    expect(await command(environment, words)).toBe(2)
  })

  it('examine, for a script: exit code and lines agree', async () => {
    const code = await doctor(environment, ['--json'])
    const { healthy, lines } = JSON.parse(printed) as { healthy: boolean; lines: { id: string; state: string }[] }
    expect(lines.map(({ id }) => id)).toEqual(expect.arrayContaining(['node', 'guardian', 'whole', 'keys', 'ledger', 'space']))
    expect(healthy).toBe(lines.every(({ state }) => state !== 'off'))
    expect(code).toBe(healthy ? 0 : 1)
  })
})
