/** Something in every sealed column of a store, and the read of each that must notice a change. */
import { hash } from 'node:crypto'
import type { Frame, Outcome } from '@bridlewise/shared/wire'
import { type DepartureDraft, StorageFault, type Store } from '../../server/storage/index.ts'
import { addRun, addUser, newId, type TempStore } from './store.ts'

type Scope = ReturnType<typeof addRun>

/** One sealed cell: where it stands, which row, and the read that must notice. */
export interface Target {
  readonly table: string
  readonly column: string
  readonly where: string
  readonly read: (store: Store) => unknown
}

/** Everything that is sealed, once for each of two owners, so that values can be exchanged. */
export async function fill(temp: TempStore, canary: string) {
  const [ann, bob] = [addUser(temp, 'ann'), addUser(temp, 'bob')]
  const scopes = [addRun(temp.store, ann), addRun(temp.store, ann), addRun(temp.store, bob)]
  const targets = []
  for (const scope of scopes) targets.push(await fillOne(temp, scope, canary))
  return targets
}

async function fillOne({ store }: TempStore, scope: Scope, canary: string): Promise<readonly Target[]> {
  const provider = newId('provider')
  const message = newId('message')
  const blob = newId('blob')
  const key = { operation: `run.start ${scope.runId}`, key: 'key-12345' }
  const title = `${canary} title`
  const text = `${canary} text`
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  const outcome: Outcome = { kind: 'completed', steps: 1, calls: 0, filesChanged: [text], usage, ms: 1 }
  const frame: Frame = { number: 1, kind: 'text', step: 1, text }
  store.providers.create(scope, { id: provider, name: 'p', kind: 'k', baseUrl: text, apiKey: text, models: [], createdAt: 1 })
  store.chats.rename(scope, scope.chatId, title)
  store.messages.add(scope, { id: message, chatId: scope.chatId, runId: scope.runId, role: 'user', text, createdAt: 1 })
  const waiting = newId('message')
  const { chatId, runId } = scope
  const place = { id: waiting, chatId, runId, delivery: 'queue', mode: 'act', model: null, held: null } as const
  store.waiting.add(scope, { ...place, text, createdAt: 1 })
  store.blobs.put(scope, { id: blob, runId: scope.runId, text, createdAt: 1 })
  const rewind = newId('rewind')
  store.versions.put(scope, { chatId: scope.chatId, digest: canary, bytes: Buffer.from(text), createdAt: 1 })
  const files = [{ path: text, was: null, becomes: null, mode: null }]
  store.rewinds.open(scope, { id: rewind, chatId: scope.chatId, journal: { projectId: text, files }, at: 1 })
  const change = newId('change')
  store.changes.open({ ...scope, id: change, journal: { projectId: text, files } })
  store.idempotency.begin(scope, key, { digest: 'd', at: Date.now() })
  store.idempotency.finish(scope, key, text)
  store.settings.set(scope, 'chosenModel', { providerId: provider, modelId: text })
  // Under a name of its own for each scope; the product's names are a few fixed ones.
  const kept = scope.runId as 'deviceKey'
  store.installation.set(kept, text)
  store.runs.end(scope, scope.runId, { outcome, at: 2 })
  await Promise.all([
    store.frames.append(scope, [frame]),
    store.ledger.append(scope, { kind: 'finding', source: 'tool', payload: { severity: 'info', title, text, evidence: [] } }),
  ])
  const rule = newId('rule')
  store.egressRules.add(scope, { id: rule, projectId: null, rule: { kind: 'path', pattern: text }, createdAt: 1 })
  const departure = newId('departure')
  await store.departures.append(scope, draftDeparture(departure, text))
  const event = store.securityEvents.nextNumber()
  const where = { address: text, method: 'GET', path: '/', count: 1, firstAt: 1, lastAt: 1 }
  await store.securityEvents.write([{ number: event, kind: 'k', minute: 1, userId: scope.userId, detail: where }], {
    keep: 10,
    since: 0,
  })
  const [beat] = store.ledger.list(scope, { runId: scope.runId, limit: 1 }).items
  return [
    target('chats', 'title', `id = '${scope.chatId}'`, (s) => s.chats.get(scope, scope.chatId)),
    target('messages', 'text', `id = '${message}'`, (s) => s.messages.list(scope, scope.chatId, { limit: 1 })),
    target('waiting_messages', 'text', `id = '${waiting}'`, (s) => s.waiting.list(scope, scope.chatId)),
    target('providers', 'apiKey', `id = '${provider}'`, (s) => s.providers.keyOf(scope, provider)),
    target('providers', 'baseUrl', `id = '${provider}'`, (s) => s.providers.get(scope, provider)),
    target('blobs', 'content', `id = '${blob}'`, (s) => s.blobs.get(scope, blob)),
    target('versions', 'content', `chatId = '${scope.chatId}'`, (s) => s.versions.get(scope, scope.chatId, canary)),
    target('rewinds', 'journal', `id = '${rewind}'`, (s) => s.rewinds.listUnfinished()),
    target('changes', 'journal', `id = '${change}'`, (s) => s.changes.listUnfinished()),
    target('idempotency', 'reply', `operation = '${key.operation}'`, (s) =>
      s.idempotency.begin(scope, key, { digest: 'd', at: 3 }),
    ),
    target('settings', 'value', `userId = '${scope.userId}'`, (s) => s.settings.get(scope, 'chosenModel')),
    target('installation', 'value', `name = '${kept}'`, (s) => s.installation.get(kept)),
    target('runs', 'outcome', `id = '${scope.runId}'`, (s) => s.runs.get(scope, scope.runId)),
    target('frames', 'data', `runId = '${scope.runId}'`, (s) => s.frames.read(scope, scope.runId, { after: 0, limit: 1 })),
    target('beat_payloads', 'sealed', `seq = ${beat?.seq}`, (s) => s.ledger.list(scope, { runId: scope.runId, limit: 1 })),
    target('departures', 'manifest', `id = '${departure}'`, (s) => s.departures.ofRun(scope, scope.runId)),
    target('departed_texts', 'content', `chatId = '${scope.chatId}'`, (s) =>
      s.departures.texts(scope, { before: 1e15, limit: 9 }),
    ),
    target('egress_rules', 'rule', `id = '${rule}'`, (s) => s.egressRules.list(scope)),
    target('security_events', 'detail', `number = ${event}`, (s) => readEvent(s, event)),
  ]
}

/** A request of one text. */
function draftDeparture(id: string, text: string): DepartureDraft {
  const digest = hash('sha256', text)
  const counts = { bytes: text.length, messages: 1, tools: 0, redactions: {} }
  const egress = { endpoint: text, modelId: text, digest, fixture: false, ...counts }
  const part = { kind: 'user' as const, bytes: text.length, digest, tool: null, callId: null, files: [] }
  return { id, step: 1, at: 1, egress, purpose: 'answer', same: 0, fresh: [{ part, text }] }
}

/** The list shows such a row without its detail, so that one changed row hides no other. */
function readEvent(store: Store, number: number): unknown {
  const event = store.securityEvents.list({ limit: 100 }).items.find((item) => item.number === number)
  if (!event?.detail) throw new StorageFault('sealed_value_tampered', { row: number })
  return event.detail
}

export function target(table: string, column: string, where: string, read: Target['read']): Target {
  return { table, column, where, read }
}
