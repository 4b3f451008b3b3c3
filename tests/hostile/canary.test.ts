/** Whoever gets every file: data home, log, backup, exported keys, scratch. What is sealed stands in none of them, in no form. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../server/storage/database.ts'
import { backUpStore, exportKeys, openStore, vacuumStore } from '../../server/storage/index.ts'
import { sealedColumns } from '../../server/storage/sealed-columns.ts'
import { findForms, formsOf, makeCanary } from '../support/canary.ts'
import { call } from '../support/people.ts'
import { answersWith, callsTool } from '../support/script.ts'
import { need } from '../support/script-client.ts'
import { startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { fill } from '../support/sealed-cells.ts'
import { startTestServer } from '../support/server.ts'
import { openTempStore } from '../support/store.ts'

const scratch = path.join(tmpdir(), `bridlewise-${process.getuid?.() ?? 0}`)

describe('a canary in every sealed column', () => {
  it('stands in no file, open or closed, after edits, deletion, vacuum, backup and export', { timeout: 60_000 }, async () => {
    const canary = makeCanary()
    const forms = formsOf(canary)
    await using temp = await openTempStore()
    const base = path.dirname(temp.homes.data)
    const search = () => findForms([base], forms)
    const [targets = []] = await fill(temp, canary)
    expect(targets.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
      sealedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
    )
    expect(search()).toEqual([])
    need(await backUpStore(temp.homes, path.join(base, 'beside.db')))
    for (const chat of temp.rows<{ id: string; userId: string }>('SELECT id, userId FROM chats')) {
      temp.store.chats.rename(chat, chat.id, `${canary} anew`)
      temp.store.chats.remove(chat, chat.id)
    }
    expect(search()).toEqual([])
    need(await vacuumStore(temp.store))
    const passphrase = randomBytes(12).toString('hex')
    need(await exportKeys(temp.homes, { path: path.join(base, 'kept.keys'), passphrase }))
    need(await backUpStore(temp.homes, path.join(base, 'after.db')))
    expect(search()).toEqual([])
    await temp.reopen()
    temp.store.close()
    expect(search()).toEqual([])
    // All of it was looked at.
    for (const name of ['beside.db', 'after.db', 'kept.keys']) expect(existsSync(path.join(base, name))).toBe(true)
  })

  it.each([...formsOf('any').keys()])('would be found in a column that is not sealed, as %s', async (form) => {
    const canary = makeCanary()
    await using temp = await openTempStore()
    await fill(temp, 'other words')
    const planted = formsOf(canary).get(form) ?? Buffer.alloc(0)
    temp.change('UPDATE users SET username = CAST(? AS TEXT)', planted)
    expect(findForms([path.dirname(temp.homes.data)], formsOf(canary)).some((found) => found.endsWith(`(${form})`))).toBe(true)
  })
})

describe('a canary that comes in at the front', () => {
  it('stands in no file, whichever way it came', { timeout: 90_000 }, async () => {
    const canary = makeCanary()
    const forms = formsOf(canary)
    const place = mkdtempSync(path.join(tmpdir(), 'bridlewise-canary-'))
    const project = path.join(place, 'project')
    mkdirSync(project)
    writeFileSync(path.join(project, 'notes.txt'), `${canary}\n`)
    writeFileSync(path.join(project, 'long.txt'), `${canary} and on and on and on and on and on\n`.repeat(2000))
    await using endpoint = await startScriptedEndpoint({
      models: ['scripted'],
      steps: [
        callsTool('read_file', { path: 'notes.txt' }),
        callsTool('execute_command', { command: 'cat long.txt' }),
        callsTool('edit', { edits: [{ kind: 'create', path: `${canary}.txt`, text: canary }] }),
        answersWith(`${canary} is read.`),
      ],
    })
    await using server = await startTestServer()
    const { headers } = await server.signIn()
    const base = path.dirname(server.config.homes.data)
    const search = () => findForms([base, ...(existsSync(scratch) ? [scratch] : [])], forms)
    const post = async (operation: string, input: object, more: object = {}) => {
      const { status, body } = await call(server, operation, { headers: { ...headers, ...more }, input })
      expect([operation, status < 300, body.refusal?.code]).toEqual([operation, true, undefined])
      return body as Record<string, { id: string; chatId: string }>
    }

    const apiKey = `sk-${canary}`
    // Its address too: the path before the protocol's own is the owner's.
    const baseUrl = `${endpoint.baseUrl}/${canary}`
    const made = await post('provider/create', { name: 'p', kind: 'custom', baseUrl, apiKey, models: ['scripted'] })
    const providerId = made['provider']?.id ?? ''
    const projectId = (await post('project/create', { name: 'app', path: project }))['project']?.id
    const key = { 'idempotency-key': `key-${randomBytes(8).toString('hex')}` }
    const chatId = (await post('chat/create', { title: `${canary} title`, projectId }, key))['chat']?.id ?? ''
    const model = { providerId, modelId: 'scripted' }
    const { run } = await post('run/start', { prompt: `${canary}, please`, chatId, projectId, model })
    const stream = await fetch(`${server.url}/api/run/${run?.id}/stream`, { headers }).then((response) => response.text())
    expect(stream).toContain('event: ended')
    expect(stream).toContain(`${canary} is read.`)
    await fetch(`${server.url}/api/${canary}`)
    expect((await call(server, 'audit/list', { headers })).status).toBe(200)
    expect(JSON.stringify((await call(server, `chat/${chatId}`, { headers })).body)).toContain(canary)
    expect(search()).toEqual([])
    const filled = countRows(server.config.homes.data)
    for (const column of [
      ...['chats.title', 'messages.text', 'runs.outcome', 'frames.data', 'beat_payloads.sealed', 'blobs.content'],
      ...['providers.apiKey', 'providers.baseUrl', 'idempotency.reply', 'security_events.detail'],
    ]) {
      expect([column, (filled.get(column) ?? 0) > 0]).toEqual([column, true])
    }

    need(await backUpStore(server.config.homes, path.join(base, 'beside.db')))
    await post(`chat/${chatId}/rename`, { title: `${canary} again` })
    await post(`chat/${chatId}/remove`, {})
    await post(`provider/${providerId}/remove`, {})
    await post('storage/clean', {})
    expect(search()).toEqual([])
    await server.running.close()
    const bundle = spawnSync(process.execPath, [path.resolve('server/cli.ts'), 'diagnostics', '--json'], {
      env: {
        PATH: process.env['PATH'],
        HOME: place,
        HARNESS_WEB_DATA: server.config.homes.data,
        HARNESS_WEB_KEYS: server.config.homes.keys,
      },
      encoding: 'utf8',
    })
    expect(bundle.stdout.length).toBeGreaterThan(100)
    expect(bundle.stdout + bundle.stderr).not.toContain(canary)
    const store = need(await openStore(server.config.homes))
    need(await vacuumStore(store))
    store.close()
    expect(search()).toEqual([])
    rmSync(place, { recursive: true, force: true })
  })
})

/** Values of each sealed column that there are right now. */
function countRows(home: string): ReadonlyMap<string, number> {
  const database = openDatabase(path.join(home, 'bridlewise.db'))
  try {
    return new Map(
      sealedColumns.map(({ table, column }) => [
        `${table}.${column}`,
        database.prepare<[], { n: number }>(`SELECT count(${column}) AS n FROM ${table}`).get()?.n ?? 0,
      ]),
    )
  } finally {
    database.close()
  }
}
