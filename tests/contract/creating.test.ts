/** What creates something creates one thing for one key: walked over the declarations, so that a new operation cannot be forgotten. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { declared, toRequest } from '../support/declared-input.ts'
import { silence } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { passphrase } from '../support/server.ts'
import { ServerProcess } from '../support/server-process.ts'

/** Without an account there is nobody to keep a key for; each of these is spent with the code that it takes. */
const oncePerCode = ['account.setup', 'account.acceptInvite']

const creating = declared.filter(({ operation }) => operation.status !== 200 && operation.access !== 'public')

let server: ServerProcess
let endpoint: ScriptedEndpoint
let headers: Record<string, string>
let userId: string
let directory: string
/** A run that is active, one that a dead server left, and what waits behind another such. */
let active: string
let left: string
let waiting: string
/** A chat to be forked, and one to be summarised. */
let forked: string
let summarised: string
/** An input of each creating operation; `what` makes it differ from the others where it can. */
const inputs: Readonly<Record<string, (what: string) => object>> = {
  'account.createToken': (what) => ({ name: what }),
  'user.makeReset': () => ({ userId }),
  'user.invite': () => ({ role: 'member' }),
  'project.create': (what) => ({ name: what, path: directory }),
  'project.createDemo': () => ({}),
  'provider.create': (what) => ({ name: what, kind: 'custom', baseUrl: 'http://127.0.0.1:9/v1', models: ['m'] }),
  'chat.create': (what) => ({ title: what }),
  'chat.fork': () => ({ chatId: forked }),
  'context.compact': () => ({ chatId: summarised }),
  'run.start': (what) => ({ prompt: what }),
  'run.continue': () => ({ runId: left }),
  'run.steer': (what) => ({ runId: active, text: what }),
  'run.queue': (what) => ({ runId: active, prompt: what }),
  'run.startWaiting': () => ({ messageId: waiting }),
}
const differing = Object.keys(inputs).filter(
  (label) => JSON.stringify(inputs[label]?.('a')) !== JSON.stringify(inputs[label]?.('b')),
)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bridlewise-creating-'))
  endpoint = await startScriptedEndpoint({ steps: () => silence })
  server = await ServerProcess.start()
  const setup = { code: server.setupCode, username: 'ada', password: passphrase }
  const reply = await fetch(`${server.url}/api/account/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(setup),
  })
  const { token, user } = (await reply.json()) as { token: string; user: { id: string } }
  userId = user.id
  headers = { cookie: reply.headers.getSetCookie()[0]?.split(';')[0] ?? '', 'x-bridlewise-token': token }
  const provider = { name: 'Silent', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['scripted'] }
  await post('provider.create', provider, 'key-of-the-provider')
  forked = (await post('chat.create', { title: 'a past' }, 'key-of-the-chat')).body.chat?.id ?? ''
  left = await start('left')
  summarised = (await post('run.start', { prompt: 'a long past' }, 'key-of-the-run-long')).body.run?.chatId ?? ''
  const behind = await post('run.queue', { runId: await start('behind'), prompt: 'next' }, 'key-of-what-waits')
  waiting = behind.body.message?.id ?? ''
  await server.kill()
  await server.restart()
  active = await start('active')
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await endpoint.close()
  await rm(directory, { recursive: true, force: true })
})

async function start(prompt: string): Promise<string> {
  const { body } = await post('run.start', { prompt }, `key-of-the-run-${prompt}`)
  return body.run?.id ?? ''
}

interface Body {
  readonly refusal?: { readonly code: string }
  readonly chat?: { readonly id: string }
  readonly run?: { readonly id: string; readonly chatId: string }
  readonly message?: { readonly id: string }
}

async function post(label: string, input: object, key: string) {
  const found = creating.find((entry) => entry.label === label)
  if (!found) throw new Error(`${label} creates nothing`)
  const { path, body } = toRequest(found, { ...input })
  const reply = await fetch(`${server.url}/api/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
  return { status: reply.status, body: (await reply.json()) as Body }
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

  it.each(differing)('with another input of %s is refused', async (label) => {
    const other = await post(label, inputs[label]?.('two') ?? {}, keyOf(label))
    expect([other.status, other.body.refusal?.code]).toEqual([409, 'idempotency_key_reused'])
  })

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
