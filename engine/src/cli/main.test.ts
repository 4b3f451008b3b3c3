import { describe, expect, it } from 'vitest'
import { rootPolicy } from '../index.ts'
import { runCommandLine } from './main.ts'

async function run(...args: string[]) {
  const written = { out: '', err: '' }
  const code = await runCommandLine(args, {
    out: (text) => {
      written.out += text
    },
    err: (text) => {
      written.err += text
    },
  })
  return { code, ...written }
}

describe('preflight', () => {
  it('prints the receipt as JSON and nothing else, and says so to people elsewhere', async () => {
    const { code, out, err } = await run('preflight')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      receipt: 'integrity-only',
      harnessReady: false,
      policy: { id: rootPolicy.id, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      sources: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      versions: { node: process.versions.node },
    })
    expect(err).toContain('not ready')
  })

  it('denies each of the six capabilities, with its reason', async () => {
    const { capabilities } = JSON.parse((await run('preflight')).out) as { capabilities: Record<string, unknown> }
    expect(Object.keys(capabilities).sort()).toEqual([...rootPolicy.capabilities].sort())
    expect(rootPolicy.capabilities).toHaveLength(6)
    for (const verdict of Object.values(capabilities)) {
      expect(verdict).toEqual({ decision: 'deny', reason: { code: 'governance_gate_closed', message: expect.any(String) } })
    }
  })
})

describe('harness', () => {
  it('passes, and says that model and processes were scripted', async () => {
    const { code, out } = await run('harness')
    expect(out).toMatch(/11 passed, 0 failed\n$/)
    expect(out).toContain('scripted processes')
    expect(code).toBe(0)
  })

  it('gives the same as JSON', async () => {
    const { code, out } = await run('harness', '--json')
    expect(JSON.parse(out)).toMatchObject({ model: 'scripted', processes: 'scripted', passed: 11, failed: 0 })
    expect(code).toBe(0)
  })
})

describe('anything else', () => {
  it.each([[[]], [['quality']], [['preflight', '--fast']], [['harness', '--yaml']]])(
    'is answered with the usage: %j',
    async (args) => {
      const { code, out, err } = await run(...args)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain('Usage:')
    },
  )

  it('help is asked for, so it goes to standard output', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, err: '' })
  })
})
