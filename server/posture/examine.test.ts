import { chmodSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { makeRefusal } from '@bridlewise/shared/refusals'
import { describe, expect, it } from 'vitest'
import { addRun, addUser, openTempStore, type TempStore } from '../../tests/support/store.ts'
import type { GuardianProbe } from '../confinement/index.ts'
import { examineHost } from './examine.ts'

const ready: GuardianProbe = {
  state: 'ready',
  abi: 7,
  layers: ['landlock', 'seccomp'],
  missing: [],
  notCovered: [],
  network: 'off',
  measuredAt: 1,
}
const refused: GuardianProbe = { state: 'refused', refusal: makeRefusal('guardian_missing', { remedy: 'x' }), measuredAt: 1 }

async function examine({ homes }: Pick<TempStore, 'homes'>, probe = ready) {
  const parts = { homes, confinement: { probe: async () => probe }, cockpitHome: import.meta.dirname }
  return new Map((await examineHost(parts)).map((line) => [line.id, line]))
}

describe('an examination', () => {
  it('finds nothing wrong beside a running server, and says who holds the lock', async () => {
    await using temp = await openTempStore()
    const lines = await examine(temp)
    expect([...lines.values()].filter(({ state }) => state === 'off')).toEqual([])
    expect(lines.get('server')?.evidence).toContain(`process ${process.pid}`)
    expect(lines.get('ledger')?.evidence).toContain('0 entries')
    expect(lines.get('cockpit')).toMatchObject({ state: 'partly', remedy: expect.stringContaining('npm start') })
  })

  it('finds nothing wrong before the first start, and makes nothing', async () => {
    await using temp = await openTempStore()
    const homes = { data: join(temp.homes.data, 'later'), keys: join(temp.homes.keys, 'later') }
    const lines = await examine({ homes })
    expect([...lines.values()].filter(({ state }) => state === 'off')).toEqual([])
    expect(readdirSync(temp.homes.data)).not.toContain('later')
  })

  it('says so when no command can be confined', async () => {
    await using temp = await openTempStore()
    expect((await examine(temp, refused)).get('guardian')).toMatchObject({ state: 'off', remedy: expect.any(String) })
  })

  it.each<[string, string, (temp: TempStore, path: string) => void]>([
    ['whole', 'the database was cut', (_temp, path) => truncateSync(path, 4096 * 8)],
    ['complete', 'the database is gone', (_temp, path) => rmSync(path)],
    ['keys', 'the key is gone', ({ homes }) => readdirSync(homes.keys).map((name) => rmSync(join(homes.keys, name)))],
    [
      'keys-modes',
      'a key is open to others',
      ({ homes }) => readdirSync(homes.keys).map((name) => chmodSync(join(homes.keys, name), 0o644)),
    ],
    [
      'schema',
      'a newer version wrote it',
      (temp) => temp.change("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 99999999999999)"),
    ],
    [
      'ledger',
      'an entry was changed',
      (temp) => {
        temp.change('DROP TRIGGER beats_never_change')
        temp.change('UPDATE beats SET at = at + 1 WHERE seq = 1')
      },
    ],
  ])('has the line %s off when %s, with evidence and a remedy', async (id, _what, spoil) => {
    await using temp = await openTempStore()
    const payload = { severity: 'info' as const, title: 'x', text: 'y', evidence: [] }
    const scope = addRun(temp.store, addUser(temp, 'ann'))
    for (let n = 0; n < 2; n += 1) await temp.store.ledger.append(scope, { kind: 'finding', source: 'server', payload })
    temp.store.close()
    expect((await examine(temp)).get(id)?.state).toBe('enforced')
    spoil(temp, join(temp.homes.data, 'bridlewise.db'))
    expect((await examine(temp)).get(id)).toMatchObject({
      state: 'off',
      evidence: expect.any(String),
      remedy: expect.any(String),
    })
  })
})
