/** The server is killed while runs are being started over HTTP: none is half-made, none runs twice, every answered one is there. */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../server/storage/index.ts'
import { need, signUp } from '../support/script-client.ts'
import { ServerProcess } from '../support/server-process.ts'

const rounds = 4

describe('a server killed while it starts runs', () => {
  it('has every run that it answered with, whole, and ends those of the dead process', { timeout: 120_000 }, async () => {
    const moments = Array.from({ length: rounds }, () => randomInt(150))
    console.info(`killed ${moments.join(', ')} ms after the first answer`)
    await using server = await ServerProcess.start({ HARNESS_WEB_LLM_FIXTURES: '1' })
    const client = await signUp(server.url, server.setupCode)
    const model = {
      providerId: need(await client.provider.create({ name: 'words', kind: 'demo', models: ['demo'] })).provider.id,
      modelId: 'demo',
    }
    const answered: string[] = []
    for (const moment of moments) {
      let dead = false
      let killing: Promise<void> | null = null
      while (!dead) {
        const started = await client.run.start({ prompt: `say ${answered.length}`, model }).catch(() => null)
        if (started?.ok) answered.push(started.value.run.id)
        killing ??= wait(moment)
          .then(() => server.kill())
          .then(() => {
            dead = true
          })
      }
      await killing
      await server.restart()
    }
    await server.kill('SIGTERM')

    const opened = need(await openStore(server.homes))
    expect(await opened.ledger.verify()).toMatchObject({ valid: true })
    opened.close()
    const database = new Sqlite(join(server.homes.data, 'bridlewise.db'))
    const ids = (sql: string) =>
      database
        .prepare<[], { id: string }>(sql)
        .all()
        .map(({ id }) => id)
    expect(ids('SELECT id FROM runs')).toEqual(expect.arrayContaining(answered))
    expect(answered.length).toBeGreaterThanOrEqual(rounds)
    expect(ids("SELECT id FROM runs WHERE status IN ('queued', 'running')")).toEqual([])
    expect(ids('SELECT id FROM runs WHERE chatId NOT IN (SELECT id FROM chats)')).toEqual([])
    expect(ids("SELECT id FROM runs WHERE (SELECT count(*) FROM messages WHERE runId = runs.id AND role = 'user') <> 1")).toEqual(
      [],
    )
    expect(ids('SELECT id FROM chats WHERE id NOT IN (SELECT chatId FROM runs)')).toEqual([])
    database.close()
  })
})
