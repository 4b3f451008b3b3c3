/** Long texts do not hold up anything, and what takes too long does not pass. */
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type BoundedRedactor, createBoundedRedactor, createRedactor } from './index.ts'
import { makeSecret } from './sample-secrets.ts'

const settings = { salt: 'a salt for this test only', literals: ['a-stored-secret-1'] }
const secret = makeSecret('ghp_{a36}')
const limits = { inlineLength: 1000, deadlineMs: 60_000, idleMs: 60_000 }
const long = `first ${'prose '.repeat(500)} ${secret} a-stored-secret-1 ${'more '.repeat(500)} last`

const made: BoundedRedactor[] = []
function make(changed: Partial<typeof limits> = {}): BoundedRedactor {
  const redactor = createBoundedRedactor(settings, { ...limits, ...changed })
  made.push(redactor)
  return redactor
}
afterEach(() => Promise.all(made.splice(0).map((redactor) => redactor.close())))

describe('a text of any length', () => {
  test.each([
    ['a short one, in place', `token ${secret}`],
    ['a long one, on a thread', long],
  ])('%s, comes out as from the plain redactor', async (_name, text) => {
    const plain = createRedactor(settings).redact(text)
    expect(plain.text).not.toContain(secret)
    expect(await make().redact(text)).toEqual({ ok: true, value: plain })
  })

  test('keeps its place among others', async () => {
    const redactor = make()
    const texts = [long, 'short', `${long}!`, `token ${secret}`]
    const ends: number[] = []
    await Promise.all(texts.map((text, at) => redactor.redact(text).then(() => ends.push(at))))
    expect(ends).toEqual([0, 1, 2, 3])
  })
})

describe('whoever waits beside it', () => {
  test.each([
    ['one long text', [long]],
    ['many short texts', Array.from({ length: 20 }, (_, at) => `${at} ${'prose '.repeat(50)}`)],
  ])('gets a turn during %s', async (_name, texts) => {
    const redactor = make()
    const order: string[] = []
    const redacted = Promise.all(texts.map((text) => redactor.redact(text))).then(() => order.push('redacted'))
    await setImmediate().then(() => order.push('beside it'))
    await redacted
    expect(order).toEqual(['beside it', 'redacted'])
  })
})

describe('what does not finish', () => {
  test('in time is refused, and the next text is tried anew', async () => {
    const redactor = make({ deadlineMs: 0 })
    expect(await redactor.redact(long)).toMatchObject({ ok: false, refusal: { code: 'redaction_failed' } })
    expect(await redactor.redact('short')).toMatchObject({ ok: true })
  })

  test('because it was told to stop is refused, too', async () => {
    const redactor = make()
    expect(await redactor.redact(long, AbortSignal.abort())).toMatchObject({ ok: false, refusal: { code: 'redaction_failed' } })
    expect(await redactor.redact(long)).toMatchObject({ ok: true })
  })

  test('because the thread is gone is refused, and nothing hangs', async () => {
    const redactor = make()
    const asked = redactor.redact(long)
    await setImmediate()
    await redactor.close()
    expect((await asked).ok).toBe(false)
  })
})
