/** Every operation of every block is there in each projection, and nothing is there that was not declared. */
import { type Block, blocks, operationPath, type ServedBlock } from '@bridlewise/shared'
import { createClient } from '@bridlewise/shared/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Session, startTestServer, type TestServer } from '../support/server.ts'

interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { operationId: string; responses: object; parameters: { name: string; in: string }[] }>>
    >
  >
}

const declared = blocks.flatMap((block: Block) =>
  Object.entries(block.operations).map(([name, operation]) => ({ label: `${block.id}.${name}`, block, name, operation })),
)

let server: TestServer
let session: Session
const read = async (path: string) => (await fetch(`${server.url}${path}`, { headers: session.headers })).json()

beforeAll(async () => {
  server = await startTestServer()
  session = await server.signIn()
})
afterAll(() => server[Symbol.asyncDispose]())

it('serves a schema with every operation that an administrator may call', async () => {
  const { blocks: served } = (await read('/api/ui/schema')) as { blocks: ServedBlock[] }
  const names = served.flatMap((block) => block.operations.map((operation) => `${block.id}.${operation.name}`))
  expect(names).toEqual(declared.map(({ label }) => label))
  for (const block of served)
    for (const operation of block.operations) expect(operation.input, operation.name).toMatchObject({ type: 'object' })
})

it('describes every operation in OpenAPI 3.1, and no other', async () => {
  const document = (await read('/api/openapi.json')) as OpenApiDocument
  expect(document.openapi).toBe('3.1.0')
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  expect(ids.sort()).toEqual(declared.map(({ label }) => label).sort())
  for (const [path, methods] of Object.entries(document.paths)) {
    const places = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    for (const { operationId, parameters } of Object.values(methods)) {
      expect(
        parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        operationId,
      ).toEqual(places)
    }
  }
})

it('names in OpenAPI each refusal that an operation declares', async () => {
  const document = (await read('/api/openapi.json')) as OpenApiDocument
  for (const { block, operation, label } of declared) {
    const path = operationPath(block, operation).replaceAll(/:(\w+)/g, '{$1}')
    const entry = JSON.stringify(document.paths[path]?.[operation.method.toLowerCase()]?.responses)
    for (const code of operation.refusals) expect(entry, label).toContain(code)
  }
})

it('has a route for each operation, which reads the declared input and no other', async () => {
  for (const { label, block, operation } of declared) {
    if (operation.access === 'public') continue
    const path = operationPath(block, operation).replaceAll(/:[A-Za-z]+/g, 'nothing_here')
    const strange = { 'no such field': 1 }
    const response = await fetch(`${server.url}${path}${operation.kind === 'command' ? '' : '?no-such-field=1'}`, {
      method: operation.method,
      headers: { ...session.headers, 'content-type': 'application/json' },
      ...(operation.kind === 'command' ? { body: JSON.stringify(strange) } : {}),
    })
    expect(await response.json(), label).toMatchObject({ refusal: { code: 'input_invalid' } })
    expect(response.status, label).toBe(400)
  }
})

it('has a client method for each operation', () => {
  const client = createClient(blocks, { origin: server.url, fetch, headers: () => ({}) }) as unknown as Record<
    string,
    Record<string, unknown>
  >
  for (const { label, block, name } of declared) expect(client[block.id]?.[name], label).toBeTypeOf('function')
})
