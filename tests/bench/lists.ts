/** Pages of long lists: 10,000 chats and 100,000 messages, a tenth of them in one chat. */
import { randomBytes } from 'node:crypto'
import { makeId, type Outcome } from '@bridlewise/shared/wire'
import { type Owner, openStore, type Store } from '../../server/storage/index.ts'
import { need, signUp } from '../support/script-client.ts'
import { ServerProcess } from '../support/server-process.ts'
import { type Figure, percentile } from './measure.ts'

const chatCount = 10_000
const messagesPerChat = 9
const longChat = 10_000
const rounds = 60
const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
const outcome: Outcome = { kind: 'completed', steps: 1, calls: 0, filesChanged: [], usage, ms: 1 }

export async function benchLists(): Promise<Figure[]> {
  await using server = await ServerProcess.start()
  const client = await signUp(server.url, server.setupCode)
  const { user } = need(await client.account.session({}))
  await server.kill('SIGTERM')
  const store = need(await openStore(server.homes))
  const long = fill(store, { userId: user.id })
  store.close()
  await server.restart()

  const chats = await pages((after) => client.chat.list(after === undefined ? {} : { after }))
  const messages = await pages((after) => client.chat.get({ chatId: long, ...(after === undefined ? {} : { after }) }))
  return [
    { name: `a page of ${chatCount} chats, p50`, value: percentile(chats, 50), unit: 'ms' },
    { name: `a page of ${chatCount} chats, p95`, value: percentile(chats, 95), unit: 'ms' },
    { name: `a page of a chat of ${longChat} messages, p50`, value: percentile(messages, 50), unit: 'ms' },
    { name: `a page of a chat of ${longChat} messages, p95`, value: percentile(messages, 95), unit: 'ms' },
  ]
}

/** Walk a list from its start, as far as `rounds` pages go, and time each. */
async function pages(read: (after?: string) => Promise<Parameters<typeof need<{ readonly next?: string | undefined }>>[0]>) {
  const times: number[] = []
  let after: string | undefined
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    after = need(await read(after)).next
    times.push(performance.now() - started)
  }
  return times
}

/** The id of the long chat. */
function fill(store: Store, owner: Owner): string {
  let at = Date.now() - 10 * chatCount
  const add = (chatId: string, count: number) => {
    const runId = next('run')
    store.runs.create(owner, {
      id: runId,
      chatId,
      projectId: null,
      mode: 'act',
      model: { providerId: next('provider'), modelId: 'scripted', label: 'scripted' },
      fixture: false,
      idempotencyKey: null,
      createdAt: at,
    })
    need(store.runs.begin(owner, runId, at))
    need(store.runs.end(owner, runId, { outcome, at }))
    for (let each = 0; each < count; each += 1) {
      const role = each % 2 === 0 ? 'user' : 'assistant'
      store.messages.add(owner, { id: next('message'), chatId, runId, role, text: 'word '.repeat(60), createdAt: at })
    }
  }
  return store.transaction(() => {
    const chatIds = Array.from({ length: chatCount }, (_, index) => {
      at += 10
      const id = next('chat')
      store.chats.create(owner, { id, title: `Chat ${index}`, projectId: null, createdAt: at })
      return id
    })
    for (const id of chatIds) add(id, messagesPerChat)
    const long = chatIds.at(-1) ?? ''
    add(long, longChat)
    return long
  })
}

function next(noun: Parameters<typeof makeId>[0]): string {
  return makeId(noun, Date.now(), randomBytes(16))
}
