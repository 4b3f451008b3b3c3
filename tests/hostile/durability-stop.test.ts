/** SIGTERM in the middle of work: the server stops in order within its five seconds, and what it leaves is whole. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setUp } from '../../server/cli/index.ts'
import { openStore } from '../../server/storage/index.ts'
import { compileCache } from '../support/crash-writer.ts'
import { editedText, findLies } from '../support/disk-works.ts'
import { callsTool, says, streams } from '../support/script.ts'
import { need, type ScriptClient } from '../support/script-client.ts'
import { type ScriptedEndpoint, startScriptedEndpoint } from '../support/scripted-endpoint.ts'
import { ServerProcess } from '../support/server-process.ts'

const prompts = { words: 'say much', edits: 'edit much' }

describe('a server that is told to stop', () => {
  let endpoint: ScriptedEndpoint
  let server: ServerProcess
  let client: ScriptClient
  let projectId: string
  beforeAll(async () => {
    const edit = callsTool('edit', { edits: [{ path: 'made.txt', new: editedText }] })
    endpoint = await startScriptedEndpoint({
      steps: ({ raw, body }) => {
        const words = streams([says('One. ', 'Two. '), { type: 'stall' }])
        return raw.toString().includes(prompts.words) || body?.messages?.at(-1)?.role === 'tool' ? words : edit
      },
    })
    server = await ServerProcess.start()
    const person = { code: server.setupCode, username: 'ada', password: 'a long enough passphrase' }
    client = need(await setUp(server.url, person))
    need(await client.provider.create({ name: 'words', kind: 'custom', baseUrl: endpoint.baseUrl, models: ['m'] }))
    mkdirSync(join(server.homes.base, 'project'))
    projectId = need(await client.project.create({ name: 'p', path: join(server.homes.base, 'project') })).project.id
  })
  afterAll(async () => {
    await endpoint.close()
    await server[Symbol.asyncDispose]()
  })

  it.each([
    ['while a model speaks', prompts.words, 'text'],
    ['after an edit, while the model goes on', prompts.edits, 'text'],
    ['while an edit is made', prompts.edits, 'beat'],
  ])('ends the run %s, keeps what was said, and exits with 0', async (_when, prompt, frameKind) => {
    const { run } = need(await client.run.start({ prompt, projectId }))
    for await (const frame of client.run.stream({ runId: run.id })) {
      if (frame.kind === frameKind && (frameKind !== 'beat' || (frame.kind === 'beat' && frame.beat.kind === 'call'))) break
    }
    // The server itself ends with 1 when it needs longer than five seconds.
    expect(await server.kill('SIGTERM')).toBe(0)
    const store = need(await openStore(server.homes))
    expect(await store.ledger.verify()).toMatchObject({ valid: true })
    const said = { done: [`run ${run.id}`, `end ${run.id} interrupted`], refused: [], strange: [] }
    expect(findLies({ base: server.homes.base, homes: server.homes }, store, said)).toEqual([])
    store.close()
    rmSync(join(server.homes.base, 'project', 'made.txt'), { force: true })
    await server.restart()
  })
})

describe('a backup that is told to stop', () => {
  it('leaves no file of that name, or a whole one', async () => {
    const base = mkdtempSync(join(tmpdir(), 'bridlewise-stop-'))
    const homes = { data: join(base, 'data'), keys: join(base, 'keys') }
    const store = need(await openStore(homes))
    const scope = { userId: 'user_nobody', runId: null, chatId: null }
    const payload = { severity: 'info' as const, title: 'x', text: 'y'.repeat(2 ** 20), evidence: [] }
    for (let n = 0; n < 32; n += 1) await store.ledger.append(scope, { kind: 'finding', source: 'server', payload })
    store.close()
    const backUp = (target: string) =>
      spawn(process.execPath, ['server/cli.ts', 'backup', target], {
        cwd: join(import.meta.dirname, '../..'),
        stdio: 'ignore',
        env: { ...process.env, HARNESS_WEB_DATA: homes.data, HARNESS_WEB_KEYS: homes.keys, NODE_COMPILE_CACHE: compileCache },
      })

    const stopped = backUp(join(base, 'stopped.db'))
    const gone = once(stopped, 'exit')
    // Its draft is there: it is in the middle of it.
    const begun = () => readdirSync(base).some((name) => name.startsWith('.stopped.db'))
    while (stopped.exitCode === null && !begun()) await new Promise(setImmediate)
    stopped.kill('SIGTERM')
    await gone
    if (existsSync(join(base, 'stopped.db'))) expect(readWhole(join(base, 'stopped.db'))).toBe(32)

    await once(backUp(join(base, 'whole.db')), 'exit')
    expect(readWhole(join(base, 'whole.db'))).toBe(32)
    rmSync(base, { recursive: true, force: true })
  })
})

/** How many ledger entries are in a backup whose every page is sound. */
function readWhole(path: string): number {
  const database = new Sqlite(path, { readonly: true })
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    return (database.prepare('SELECT count(*) AS n FROM beats').get() as { n: number }).n
  } finally {
    database.close()
  }
}
