/** What creates something creates one thing for one key: walked over the declarations, so that a new operation cannot be forgotten. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { declared, toRequest } from '../support/declared-input.ts'
import { passphrase } from '../support/server.ts'
import { ServerProcess } from '../support/server-process.ts'

/** Without an account there is nobody to keep a key for; each of these is spent with the code that it takes. */
const oncePerCode = ['account.setup', 'account.acceptInvite']

const creating = declared.filter(({ operation }) => operation.status !== 200 && operation.access !== 'public')

let server: ServerProcess
let headers: Record<string, string>
let userId: string
let directory: string
/** An input of each creating operation; `what` makes it differ from the others. */
const inputs: Readonly<Record<string, (what: string) => object>> = {
  'account.createToken': (what) => ({ name: what }),
  'user.makeReset': () => ({ userId }),
  'user.invite': () => ({ role: 'member' }),
  'project.create': (what) => ({ name: what, path: directory }),
  'project.createDemo': () => ({}),
  'provider.create': (what) => ({ name: what, kind: 'custom', baseUrl: 'http://127.0.0.1:9/v1', models: ['m'] }),
  'chat.create': (what) => ({ title: what }),
  'run.start': (what) => ({ prompt: what }),
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bridlewise-creating-'))
  server = await ServerProcess.start({ HARNESS_WEB_LLM_FIXTURES: '1' })
  const reply = await fetch(`${server.url}/api/account/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: server.setupCode, username: 'ada', password: passphrase }),
  })
  const { token, user } = (await reply.json()) as { token: string; user: { id: string } }
  userId = user.id
  headers = { cookie: reply.headers.getSetCookie()[0]?.split(';')[0] ?? '', 'x-bridlewise-token': token }
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function post(label: string, input: object, key: string) {
  const found = creating.find((entry) => entry.label === label)
  if (!found) throw new Error(`${label} creates nothing`)
  const { path, body } = toRequest(found, { ...input })
  const reply = await fetch(`${server.url}/api/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
  return { status: reply.status, body: (await reply.json()) as { refusal?: { code: string } } }
}

const keyOf = (label: string) => `key-of-${label.replace('.', '-')}`

it('takes a key wherever something is created for somebody', () => {
  expect(creating.filter(({ operation }) => operation.idempotency === 'none').map(({ label }) => label)).toEqual([])
  expect(creating.map(({ label }) => label).sort()).toEqual(Object.keys(inputs).sort())
  const open = declared.filter(({ operation }) => operation.access === 'public' && operation.status !== 200)
  expect(open.map(({ label }) => label)).toEqual(oncePerCode)
})

describe('one key', () => {
  const first = new Map<string, unknown>()

  it.each(Object.keys(inputs))('posted twice in one tick to %s makes one thing and gives one answer', async (label) => {
    const input = inputs[label]?.('one') ?? {}
    const [one, two] = await Promise.all([post(label, input, keyOf(label)), post(label, input, keyOf(label))])
    expect(one?.body).not.toHaveProperty('refusal')
    expect(two).toEqual(one)
    first.set(label, one)
  })

  it.each(Object.keys(inputs).filter((label) => !['project.createDemo', 'user.makeReset', 'user.invite'].includes(label)))(
    'with another input of %s is refused',
    async (label) => {
      const other = await post(label, inputs[label]?.('two') ?? {}, keyOf(label))
      expect([other.status, other.body.refusal?.code]).toEqual([409, 'idempotency_key_reused'])
    },
  )

  it('is known after a restart: the same answer, or for a secret that it was shown', async () => {
    await server.kill()
    await server.restart()
    for (const { label, operation } of creating) {
      const again = await post(label, inputs[label]?.('one') ?? {}, keyOf(label))
      if (operation.idempotency === 'key') expect(again, label).toEqual(first.get(label))
      else expect([again.status, again.body.refusal?.code], label).toEqual([409, 'answer_shown_once'])
    }
  })

  it('is one of many: another key creates another thing', async () => {
    for (const label of ['chat.create', 'run.start', 'user.invite'])
      expect((await post(label, inputs[label]?.('one') ?? {}, `${keyOf(label)}-2`)).body, label).not.toHaveProperty('refusal')
  })
})
