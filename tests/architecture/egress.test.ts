/** One way out: whoever can send has nothing to send that did not pass the redactor. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const room = path.join(root, 'server/llm')
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
    const [, clean] = /const \{ request: (\w+), counts[^}]*\} = redacted\.value/.exec(after) ?? []
    expect(clean).toBeDefined()
    expect([...source.matchAll(/writeBody\((\w+)/g)].map((match) => match[1])).toEqual([clean])
  })

  it('sends from three places: requests, lists of models, and probes of fixed words', () => {
    expect(filesWith(/\btransport\s*\.send\(/)).toEqual(['endpoint-model.ts', 'models.ts', 'probe-trial.ts'])
    expect(sources.get('models.ts')).toMatch(/body: null/)
  })
})

describe('the product', () => {
  /** Who may open a connection, and where to. */
  const choke: Readonly<Record<string, string>> = {
    'server/network/agents.ts': 'kept connections of the dispatcher',
    'server/network/exchange.ts': 'one request on its way',
    'server/network/tunnel.ts': 'the way through a proxy',
    'server/network/dispatcher.ts': 'reads which authorities are trusted, and connects to nothing',
    'server/cli/caller.ts': 'the command line, to the server of this machine',
    'shared/client/call.ts': 'the client, to the origin that it was made for',
    'shared/client/stream.ts': 'the same, for streams',
    'cockpit/src/client/transport.ts': 'the page, to its own origin',
    'cockpit/src/main.ts': 'the fetch of the page, handed to that client',
  }
  const opens =
    /\bfetch\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\b|sendBeacon|(?:import\s(?!type)[^\n]*|getBuiltinModule\()'node:(?:https?|http2|tls|dgram)'|\b(?:createConnection|connect)\b[^\n]*'node:net'/

  it('opens connections in the files of a list, and nowhere else', () => {
    const found = sourcesBelow(['server', 'engine/src', 'cockpit/src', 'shared', 'guardian']).filter((file) =>
      opens.test(readFileSync(path.join(root, file), 'utf8')),
    )
    expect(found.sort()).toEqual(Object.keys(choke).sort())
  })
})

function sourcesBelow(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|svelte|js)$/.test(name) && !/\.test\.ts$|(^|\/)(node_modules|dist|build|sample)\//.test(name))
      .map((name) => path.join(folder, name)),
  )
}
