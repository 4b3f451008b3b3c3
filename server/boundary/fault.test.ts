import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { describeFault } from './fault.ts'

const canary = `canary${randomBytes(6).toString('hex')}`

function caught(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

describe('what is said of a fault', () => {
  it.each([
    ['a parser that quotes its input', () => JSON.parse(`{"prompt": ${canary}`), 'SyntaxError'],
    ['a parser that quotes a string', () => JSON.parse(`["${canary}" oops`), 'SyntaxError'],
    ['the system that names a path', () => process.chdir(`/${canary}`), 'Error'],
    ['a message of several lines', () => thrown(`first\n${canary}\n    at ${canary}`), 'Error'],
    ['quotations of each kind', () => thrown(`no '${canary}', no "${canary}", no \`${canary}`), 'Error'],
    ['a key outside quotations', () => thrown(`refused ghp_${canary}${randomBytes(9).toString('hex')}`), 'Error'],
    ['something that is no error', () => thrownValue({ secret: canary }), 'object'],
    ['a text', () => thrownValue(canary), 'string'],
  ])('by %s holds nothing that was said', (_what, act, name) => {
    const fault = describeFault(new Error('outer', { cause: caught(act) }))
    expect(JSON.stringify(fault)).not.toContain(canary)
    expect(describeFault(caught(act)).causes[0]).toMatchObject({ name })
  })

  it('still holds name, code, the plain part of the message and the place', () => {
    const [cause] = describeFault(caught(() => process.chdir('/nowhere at all'))).causes
    expect(cause).toMatchObject({ code: 'ENOENT' })
    expect(cause?.message).toMatch(/^ENOENT: no such file or directory/)
    expect(cause?.frames.join()).toContain('fault.test.ts')
    expect(describeFault(new Error("the server's lock isn't held")).causes[0]?.message).toBe("the server's lock isn't held")
  })

  it('ends with a chain of causes that does not', () => {
    const loop: Error & { cause?: unknown } = new Error('loop')
    loop.cause = loop
    expect(describeFault(loop).causes.length).toBeLessThan(10)
  })
})

function thrown(message: string): never {
  throw new Error(message)
}

function thrownValue(value: unknown): never {
  throw value
}
