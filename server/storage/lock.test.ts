import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prepareHomes } from './homes.ts'
import { lockDataHome } from './lock.ts'

let base: string
let home: string
const children: ChildProcess[] = []
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-lock-'))
  home = join(base, 'data')
  prepareHomes({ data: home, keys: join(base, 'keys') })
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(base, { recursive: true, force: true })
})

/** Another process that takes the lock and keeps it; says `held` or the refusal's message. */
async function hold(): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const program = `
    import { lockDataHome } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))}
    const lock = lockDataHome(${JSON.stringify(home)})
    console.log(lock.ok ? 'held' : lock.refusal.message)
    if (lock.ok) setInterval(() => lock, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [chunk] = await once(child.stdout, 'data')
  return { child, said: String(chunk).trim() }
}

describe('the lock on a data home', () => {
  it('refuses a second server and names the process of the first, which goes on', async () => {
    const first = await hold()
    expect(first.said).toBe('held')
    const second = await hold()
    expect(second.said).toContain(`process ${first.child.pid}`)
    expect(first.child.exitCode).toBe(null)
  })

  it('holds within one process, too, and is free after release', () => {
    const first = lockDataHome(home)
    const second = lockDataHome(home)
    expect([first.ok, second.ok]).toEqual([true, false])
    if (first.ok) first.value.release()
    const third = lockDataHome(home)
    expect(third.ok).toBe(true)
    if (third.ok) third.value.release()
  })

  it('is the same lock through a symbolic link', async () => {
    await hold()
    symlinkSync(home, join(base, 'link'))
    const prepared = prepareHomes({ data: join(base, 'link'), keys: join(base, 'keys') })
    const lock = prepared.ok ? lockDataHome(prepared.value.data) : prepared
    expect(lock.ok ? 'held' : lock.refusal.code).toBe('data_home_locked')
  })

  it('is free once its holder was killed, even when the noted process id lives again', async () => {
    const { child } = await hold()
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    writeFileSync(join(home, 'lock.pid'), `${process.pid}\n`)
    expect((await hold()).said).toBe('held')
  })

  it('goes to exactly one of many that race for it', async () => {
    const said = await Promise.all(Array.from({ length: 6 }, hold))
    expect(said.filter((one) => one.said === 'held')).toHaveLength(1)
  })
})
