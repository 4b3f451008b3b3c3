/** LOG: no secret in any error path, a storm of refusals stays small on stderr, and there is no log file to fill a disk. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { defaultLimits } from '@bridlewise/server'
import { type Block, blocks, type Operation, operationPath, pathParameters } from '@bridlewise/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { passphrase } from '../support/server.ts'
import { ServerProcess } from '../support/server-process.ts'

const secret = `canary${randomBytes(12).toString('hex')}`

const table = blocks.flatMap((block: Block) =>
  Object.entries(block.operations).map(([name, operation]) => ({ name: `${block.id}.${name}`, block, operation })),
)

/** Every field filled with the secret, in the shapes that each kind of check stumbles over. */
const inputs: readonly { readonly what: string; readonly of: (operation: Operation) => Record<string, unknown> }[] = [
  { what: 'texts and one field too many', of: (operation) => ({ ...fill(operation, secret), [secret]: secret }) },
  { what: 'lists', of: (operation) => fill(operation, [secret]) },
  { what: 'objects', of: (operation) => fill(operation, { [secret]: secret }) },
  { what: 'texts that are too long', of: (operation) => fill(operation, secret.repeat(400)) },
]

function fill(operation: Operation, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.keys(operation.input.shape).map((field) => [field, value]))
}

describe('a secret that comes with a call of somebody who may call', () => {
  let server: ServerProcess
  let headers: Readonly<Record<string, string>>

  beforeAll(async () => {
    server = await ServerProcess.start()
    const response = await post('/api/account/setup', { code: server.setupCode, username: 'ada', password: passphrase }, {})
    const { token } = (await response.json()) as { token: string }
    headers = { cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '', 'x-bridlewise-token': token }
  })
  afterAll(() => server[Symbol.asyncDispose]())

  function post(place: string, body: unknown, more: Readonly<Record<string, string>>): Promise<Response> {
    return fetch(`${server.url}${place}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    })
  }

  function ask(operation: Operation, place: string, input: Record<string, unknown>): Promise<Response> {
    if (operation.method === 'POST') return post(place, input, headers)
    const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value).slice(0, 4_000)]))
    return fetch(`${server.url}${place}?${query}`, { headers })
  }

  it.each(inputs)('is in no refusal of any operation, as $what', async ({ of }) => {
    const statuses = new Set<number>()
    for (const { name, block, operation } of table) {
      const place = pathParameters(operation.path).reduce(
        (known, parameter) => known.replace(`:${parameter}`, secret),
        operationPath(block, operation),
      )
      const input = of(operation)
      for (const parameter of pathParameters(operation.path)) delete input[parameter]
      const response = await ask(operation, place, input)
      statuses.add(response.status)
      const text = response.status >= 400 ? await response.text() : ''
      await response.body?.cancel().catch(() => undefined)
      expect(response.status, name).not.toBe(500)
      // A field that was not asked for is named back; what it and every other holds is not.
      expect(text.replaceAll(`"${secret}"`, '').replaceAll(`\\"${secret}\\"`, ''), name).not.toContain(secret)
    }
    expect(
      [...statuses].some((status) => [400, 413, 422].includes(status)),
      [...statuses].join(),
    ).toBe(true)
  })

  it('is in no output and in no file afterwards, and no file is a log', async () => {
    await server.kill('SIGTERM')
    expect(server.log).not.toContain(secret)
    const files = [server.homes.data, server.homes.keys].flatMap((home) =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name)),
    )
    expect(files.filter((file) => readFileSync(file).includes(secret))).toEqual([])
    expect(files.filter((file) => /\.log$|\.txt$/.test(file))).toEqual([])
  })
})

describe('a storm of refused requests (LOG-03)', () => {
  it('writes a bounded number of lines, and says how many it left out', async () => {
    await using server = await ServerProcess.start()
    const port = Number(new URL(server.url).port)
    const many = 3 * defaultLimits.logLinesPerMinute
    for (let i = 0; i < many; i += 1)
      await sendRaw(port, rawRequest(port, { line: `GET /storm-${i} HTTP/1.1`, host: 'evil.test' }))
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
    await server.kill('SIGTERM')
    const lines = server.log.split('\n').filter((line) => line.startsWith('{'))
    const written = lines.filter((line) => line.includes('/storm-')).length
    const leftOut = lines
      .map((line) => (JSON.parse(line) as { lines?: number }).lines ?? 0)
      .reduce((sum, count) => sum + count, 0)
    expect(written + leftOut).toBe(many)
    // The minute may have turned once meanwhile.
    expect(lines.length).toBeLessThanOrEqual(2 * (defaultLimits.logLinesPerMinute + 1))
    expect(leftOut).toBeGreaterThan(0)
  })
})
