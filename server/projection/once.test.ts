import { ok } from '@bridlewise/shared/refusals'
import { expect, it } from 'vitest'
import { addUser, openTempStore } from '../../tests/support/store.ts'
import { StorageFault } from '../storage/index.ts'
import { OncePerKey } from './once.ts'

it('answers a key again whose first answer could not be stored', async () => {
  await using temp = await openTempStore()
  const { idempotency } = temp.store
  const disk = { full: true }
  const write = (work: () => void) => {
    if (disk.full) throw new StorageFault('storage_full', {})
    work()
  }
  const once = new OncePerKey(
    {
      ...idempotency,
      finish: (owner, key, reply) => write(() => idempotency.finish(owner, key, reply)),
      release: (owner, key) => write(() => idempotency.release(owner, key)),
    },
    () => 1,
  )
  let executions = 0
  const call = { owner: addUser(temp, 'ada'), operation: 'chat.create', key: 'key-00000001', input: {}, keep: 'key' as const }
  const ask = () =>
    once.run(call, async () => {
      executions += 1
      return ok({ execution: executions })
    })
  await expect(ask()).rejects.toThrow(StorageFault)
  disk.full = false
  const second = await ask()
  expect(second).toEqual(ok({ execution: 2 }))
  expect(await ask()).toEqual(second)
})
