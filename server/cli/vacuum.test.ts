import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openStore } from '../storage/index.ts'
import { vacuum } from './vacuum.ts'

let base: string
let printed: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-vacuum-'))
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

it('writes the database anew, and not beside a server that has it', async () => {
  const environment = { HARNESS_WEB_DATA: join(base, 'data'), HARNESS_WEB_KEYS: join(base, 'keys') }
  const opened = await openStore({ data: join(base, 'data'), keys: join(base, 'keys') })
  if (!opened.ok) throw new Error(opened.refusal.message)
  expect(await vacuum(environment)).toBe(1)
  expect(printed).toContain('data_home_locked')
  opened.value.close()
  expect(await vacuum(environment)).toBe(0)
  expect(printed).toMatch(/had \d+ bytes and has \d+/)
})
