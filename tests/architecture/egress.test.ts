/** One way out: whoever can send has nothing to send that did not pass the redactor. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const room = path.resolve(import.meta.dirname, '../../server/llm')
const files = readdirSync(room).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
const sources = new Map(files.map((name) => [name, readFileSync(path.join(room, name), 'utf8')]))
const filesWith = (pattern: RegExp) => files.filter((name) => pattern.test(sources.get(name) ?? ''))

describe('the room that speaks to endpoints', () => {
  it('has one file that asks for a body of what people and tools said', () => {
    expect(filesWith(/import \{[^}]*\bwriteBody\b[^}]*\} from '\.\/body\.ts'/)).toEqual(['endpoint-model.ts'])
  })

  it('writes that body from what the redactor gave back, and from nothing else', () => {
    const source = sources.get('endpoint-model.ts') ?? ''
    const redacted = /const redacted = await line\.redaction\.request\([^\n]*\n {2}if \(!redacted\.ok\) return redacted\n/
    expect(source).toMatch(redacted)
    const after = source.slice(source.search(redacted))
    const [, clean] = /const \{ request: (\w+), counts \} = redacted\.value/.exec(after) ?? []
    expect(clean).toBeDefined()
    expect([...source.matchAll(/writeBody\((\w+)/g)].map((match) => match[1])).toEqual([clean])
  })

  it('sends from three places: requests, lists of models, and probes of fixed words', () => {
    expect(filesWith(/\btransport\s*\.send\(/)).toEqual(['endpoint-model.ts', 'models.ts', 'probe-trial.ts'])
    expect(sources.get('models.ts')).toMatch(/body: null/)
  })
})
