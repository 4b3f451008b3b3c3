/** Whose things are whose, for every operation that is declared: a new one is attacked here by itself. */
import { randomBytes } from 'node:crypto'
import { type IdNoun, makeId } from '@bridlewise/shared/wire'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeAuthority } from '../support/certificates.ts'
import { type Declared, declared, objectPlaces, setAt, smallestInput, toRequest } from '../support/declared-input.ts'
import { type Answer, call, enter, join, type Person } from '../support/people.ts'
import { silence } from '../support/script.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { passphrase, type Session, startTestServer, type TestServer } from '../support/server.ts'

const open = { burst: 10_000, everyMs: 1 }
const limits = { rates: { light: open, normal: open, costly: open, secret: open } }

let server: TestServer
/** Takes every request and never answers, so that what asks it is still at it. */
let endpoint: ScriptedEndpoint
let ada: Person
let bob: Person
/** What ada has, by the name that an input calls it. */
let hers: Readonly<Record<string, string>>
let untouched: unknown
/** A word of ada's that is in the names and contents of all she has. */
const canary = `canary${randomBytes(8).toString('hex')}`

const ask = (path: string, who: Pick<Session, 'headers'>, input?: object) =>
  call(server, path, { headers: who.headers, ...(input ? { input } : {}) })

beforeAll(async () => {
  endpoint = await startScriptedEndpoint({ steps: () => silence })
  server = await startTestServer({ limits, fixturePaceMs: 60_000 })
  ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
  bob = await join(server, ada, { username: 'bob' })
  hers = await furnish(ada, canary)
  await furnish(bob, 'bobs')
  untouched = await herWorld()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await endpoint.close()
})

/** One of everything. */
async function furnish(who: Person, word: string): Promise<Record<string, string>> {
  const made = async (path: string, key: string, input: object) => {
    const { status, body } = await ask(path, who, input)
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body[key] as { id: string; chatId: string }
  }
  const recorded = { kind: 'demo', baseUrl: 'http://127.0.0.1:9/v1', models: ['demo'] }
  const provider = await made('provider/create', 'provider', { name: word, ...recorded })
  const project = await made('project/demo', 'project', {})
  const share = await made(`project/${project.id}/share`, 'share', { username: 'nobody' })
  const model = { providerId: provider.id, modelId: 'demo' }
  const run = await made('run/start', 'run', { prompt: word, projectId: project.id, model, mode: 'plan' })
  const waiting = await made(`run/${run.id}/queue`, 'message', { prompt: word })
  const rule = await made('egress/addRule', 'rule', { rule: { kind: 'path', pattern: `${word}/**` } })
  const redaction = await made('redaction/create', 'redaction', { name: word, kind: 'text', value: `${word} itself` })
  const custom = { name: `${word} asked`, kind: 'custom', baseUrl: endpoint.baseUrl, models: ['silent'] }
  const silent = await made('provider/create', 'provider', custom)
  const asked = await made('run/start', 'run', { prompt: word, model: { providerId: silent.id, modelId: 'silent' } })
  const { body: probe } = await ask(`provider/${silent.id}/probe`, who, { modelId: 'silent' })
  const token = await made('account/token/create', 'token', { name: word })
  const sessions = (await ask('account/session/list', who)).body['sessions'] as { id: string }[]
  const invite = who === ada ? await ask('user/invite', who, { role: 'member' }).then(() => ask('user/invite/list', who)) : null
  return {
    userId: who.userId,
    providerId: provider.id,
    projectId: project.id,
    shareId: share.id,
    runId: run.id,
    chatId: run.chatId,
    messageId: waiting.id,
    ruleId: rule.id,
    redactionId: redaction.id,
    probeId: String(probe['probeId'] ?? ''),
    departureId: await firstDeparture(who, asked.id),
    holdId: await firstHold(who, { projectId: project.id, model: { providerId: silent.id, modelId: 'silent' } }),
    tokenId: token.id,
    sessionId: sessions[0]?.id ?? '',
    authorityId: who === ada ? await addAuthority(who) : '',
    codeId: (invite?.body['invites'] as { id: string }[] | undefined)?.[0]?.id ?? '',
  }
}

/** An authority that an administrator trusts; it is named by its certificate. */
async function addAuthority(who: Person): Promise<string> {
  await ask('network/addAuthorities', who, { certificates: makeAuthority().cert })
  const { body } = await ask('network', who)
  return (body['authorities'] as { id: string }[])[0]?.id ?? ''
}

/** The first request that a run sent, once it has left. */
async function firstDeparture(who: Person, runId: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const { body } = await ask(`egress/list?runId=${runId}`, who)
      const [first] = body['requests'] as { id: string }[]
      if (!first) throw new Error('nothing has left yet')
      return first.id
    },
    { timeout: 20_000 },
  )
}

/** A request that waits for its person. */
async function firstHold(who: Person, place: { readonly projectId: string; readonly model: object }): Promise<string> {
  const { projectId } = place
  await ask('egress/holdProject', who, { projectId, held: true })
  const { body: started } = await ask('run/start', who, { prompt: 'wait', mode: 'plan', ...place })
  const { id } = started['run'] as { id: string }
  return vi.waitFor(
    async () => {
      const { body } = await ask(`egress/held?runId=${id}`, who)
      const [first] = body['held'] as { id: string }[]
      if (!first) throw new Error('nothing waits yet')
      return first.id
    },
    { timeout: 20_000 },
  )
}

const nameOf = (place: string) => place.split('.').at(-1) ?? ''

function absentId(place: string): string {
  return makeId(nameOf(place).replace(/(Id|Ref)$/, '') as IdNoun, Date.now(), randomBytes(16))
}

interface Attempt {
  readonly entry: Declared
  /** The places that hold an id of ada's, or one that nobody has; the other ids are of nobody. */
  readonly places: readonly string[]
}

/** Each place alone, and all of them together. */
const attempts: readonly Attempt[] = declared.flatMap((entry) => {
  const alone = entry.idPlaces.map((place) => ({ entry, places: [place] }))
  return entry.idPlaces.length > 1 ? [...alone, { entry, places: entry.idPlaces }] : alone
})

/** Bob's call with those ids, and the answer with each id that was sent replaced by its place. */
async function attempt({ entry, places }: Attempt, idAt: (place: string) => string): Promise<Answer> {
  const input = smallestInput(entry.operation, places)
  const sent = entry.idPlaces.filter((place) => places.includes(place) || place in input)
  const ids = new Map(sent.map((place) => [place, places.includes(place) ? idAt(place) : absentId(place)]))
  for (const [place, id] of ids) setAt(input, place, id)
  const { path, body } = toRequest(entry, input)
  const answer = await ask(path, bob, body)
  let told = JSON.stringify(answer)
  for (const [place, id] of ids) told = told.replaceAll(id, `<${place}>`)
  return JSON.parse(told) as Answer
}

const herId = (place: string) => hers[nameOf(place)] ?? ''

describe('what somebody else owns', () => {
  it('is prepared for every place that can name something', () => {
    for (const { label, idPlaces } of declared)
      for (const place of idPlaces) expect(herId(place), `${label} ${place}`).not.toBe('')
    expect(attempts.length).toBeGreaterThan(20)
  })

  it.each(attempts.map((one) => [one.entry.label, one.places.join(' and '), one] as const))(
    'answers %s with %s like what nobody has',
    async (_label, _places, one) => {
      const foreign = await attempt(one, herId)
      const absent = await attempt(one, absentId)
      expect(foreign).toEqual(absent)
      const isFilter = one.entry.operation.access === 'member' && one.entry.operation.kind !== 'command'
      if (isFilter) expect(JSON.stringify(foreign)).not.toContain(canary)
      else expect([403, 404, 409]).toContain(foreign.status)
    },
  )

  it('is in no answer to a call that names nothing', async () => {
    const lists = declared.filter(({ operation }) => operation.kind === 'query' && operation.access !== 'public')
    const open = lists.filter(({ operation, idPlaces }) => idPlaces.every((place) => !(place in smallestInput(operation))))
    expect(open.length).toBeGreaterThan(8)
    const told = async (who: Person, entry: Declared) => {
      const { path } = toRequest(entry, smallestInput(entry.operation))
      return JSON.stringify(await ask(path, who))
    }
    const secrets = [canary, ...Object.values(hers)]
    const seenByHer: string[] = []
    for (const entry of open) {
      const answer = await told(bob, entry)
      for (const secret of secrets) expect(answer, entry.label).not.toContain(secret)
      seenByHer.push(await told(ada, entry))
    }
    // These are listed only by what names the thing that they belong to.
    const inside = ['shareId', 'messageId', 'probeId', 'departureId', 'holdId'].map((name) => hers[name])
    for (const secret of secrets) if (!inside.includes(secret)) expect(seenByHer.join().includes(secret), secret).toBe(true)
  })

  it('is as it was, after all of that', async () => {
    expect(await herWorld()).toEqual(untouched)
  })

  it('leaves the same security events as what nobody has', async () => {
    const countEvents = async () => {
      const { events } = (await ask('audit/list?limit=100', ada)).body as unknown as { events: { kind: string; count: number }[] }
      const total = new Map<string, number>()
      for (const { kind, count } of events) total.set(kind, (total.get(kind) ?? 0) + count)
      return total
    }
    const more = async (idAt: (place: string) => string) => {
      const before = await countEvents()
      for (const one of attempts) await attempt(one, idAt)
      const after = await countEvents()
      return [...after].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const).filter(([, count]) => count > 0)
    }
    expect(await more(herId)).toEqual(await more(absentId))
  })
})

/** All that ada can see of her own, but for when something was last used. */
async function herWorld(): Promise<unknown> {
  const { projectId, chatId, runId } = hers
  const own = ['chat/list', 'run/list', 'project/list', 'provider/list', 'account/token/list', 'user/list', 'user/invite/list']
  const paths = [...own, `chat/${chatId}`, `run/${runId}`, `project/${projectId}/shares`, 'account/session/list']
  const answers = await Promise.all(paths.map((path) => ask(path, ada)))
  return JSON.parse(JSON.stringify(answers), (name, value) => (name === 'lastUsedAt' ? null : value))
}

describe('a field that was not asked for', () => {
  const strays = { role: 'admin', owner: 'x', userId: 'x', id: 'x', admin: true, createdAt: 1, epoch: 9, sharedBy: null }
  const commands = declared.filter(({ operation }) => operation.kind === 'command')
  const table = commands.flatMap((entry) => objectPlaces(entry.operation).map((place) => [entry.label, place, entry] as const))

  it.each(table)('is refused by %s, in its input at "%s"', async (_label, place, entry) => {
    const places = place === '' ? [] : [`${place}.x`]
    const input = smallestInput(entry.operation, places)
    for (const at of entry.idPlaces) if (!at.includes('.') && at in input) setAt(input, at, absentId(at))
    expect(entry.operation.input.safeParse(input).success).toBe(true)
    for (const [name, value] of Object.entries(strays)) {
      const given = structuredClone(input)
      const target = place === '' ? given : (place.split('.').reduce<unknown>((at, key) => (at as never)[key], given) as object)
      if (name in target || (place === '' && name in entry.operation.input.shape)) continue
      Object.assign(target, { [name]: value })
      const { path, body } = toRequest(entry, given)
      const { status, body: told } = await ask(path, ada, body)
      expect([status, told.refusal?.code], name).toEqual([400, 'input_invalid'])
    }
  })
})
