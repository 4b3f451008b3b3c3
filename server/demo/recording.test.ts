import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinTools, createToolRegistry } from '@bridlewise/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { recording, sampleHome } from './index.ts'

let copy = ''
beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), 'bridlewise-sample-'))
  await cp(sampleHome, copy, { recursive: true })
})
afterEach(() => rm(copy, { recursive: true, force: true }))

/** The sample's own tests, as the recording runs them. */
function runSampleTests(): Promise<string> {
  const env = { PATH: process.env['PATH'] }
  return new Promise((resolve) => {
    execFile(process.execPath, ['--test'], { cwd: copy, env }, (_failed, stdout) => resolve(stdout))
  })
}

const calls = recording.steps.flatMap(({ call }) => (call ? [call] : []))
const edit = calls.find(({ name }) => name === 'edit')?.arguments['edits'] as { path: string; old: string; new: string }[]
const expectations = (holds: string) => recording.steps.find(({ after }) => after.includes(holds))?.after ?? []

it('names only tools that exist, with arguments that fit them', () => {
  const tools = createToolRegistry(builtinTools)
  for (const call of calls) {
    const tool = tools.find(call.name)
    expect(tool?.input.safeParse(call.arguments).success, call.name).toBe(true)
  }
})

it('says of the tests what they show, before and after the edit', async () => {
  const before = await runSampleTests()
  for (const text of expectations('fail 1')) expect(before).toContain(text)
  for (const { path, old, new: text } of edit) {
    const source = await readFile(join(copy, path), 'utf8')
    expect(source.split(old)).toHaveLength(2)
    await writeFile(join(copy, path), source.replace(old, text))
  }
  const after = await runSampleTests()
  for (const text of expectations('pass 5')) expect(after).toContain(text)
})

it('reads in the source what it speaks of', async () => {
  const source = await readFile(join(copy, 'src/duration.js'), 'utf8')
  for (const text of expectations('const seconds = Math.round((milliseconds % 60_000) / 1000)')) expect(source).toContain(text)
})
