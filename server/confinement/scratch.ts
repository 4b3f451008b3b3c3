/** A private HOME and TMPDIR for every command, and nothing of them afterwards. */
import { mkdirSync, rmdirSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'

export interface Scratch {
  readonly directory: string
  readonly home: string
  readonly temporary: string
  remove(): Promise<void>
}

export interface ScratchRoom {
  /** Real path of the directory that all of this process's scratch lies in. */
  readonly directory: string
  make(): Scratch
  remove(): Promise<void>
}

/**
 * Open the room of this process below `base`, and clear the rooms of processes that are gone.
 *
 * Refuses: confinement_failed, when `base` is not a directory of this user alone: others could plant
 * or read what commands leave there.
 */
export async function openScratchRoom(base: string): Promise<Result<ScratchRoom>> {
  try {
    await mkdir(base, { recursive: true, mode: 0o700 })
    const status = await lstat(base)
    const own = status.isDirectory() && status.uid === process.getuid?.() && (status.mode & 0o077) === 0
    if (!own) return refuse('confinement_failed', { problem: `${base} is not a directory of this user alone` })
    await removeAbandoned(base)
    return ok(await openRoom(base))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return refuse('confinement_failed', { problem: `${base} cannot be used (${code ?? 'unknown'})` })
  }
}

async function openRoom(base: string): Promise<ScratchRoom> {
  const room = join(await realpath(base), `${process.pid}-${Date.now().toString(36)}`)
  mkdirSync(room, { mode: 0o700 })
  let made = 0
  return {
    directory: room,
    make() {
      made += 1
      const directory = join(room, String(made))
      const home = join(directory, 'home')
      const temporary = join(directory, 'tmp')
      for (const path of [directory, home, temporary]) mkdirSync(path, { mode: 0o700 })
      return { directory, home, temporary, remove: () => removeScratch(directory, home, temporary) }
    },
    remove: () => removeTree(room),
  }
}

/** Most commands leave nothing: three calls then, and no walk. */
async function removeScratch(directory: string, home: string, temporary: string): Promise<void> {
  try {
    for (const path of [home, temporary, directory]) rmdirSync(path)
  } catch {
    await removeTree(directory)
  }
}

async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    // A command may have locked a directory against its owner; that is no way to stay.
    await unlock(path)
    await rm(path, { recursive: true, force: true })
  }
}

async function unlock(path: string): Promise<void> {
  const status = await lstat(path)
  if (!status.isDirectory()) return
  await chmod(path, 0o700)
  for (const name of await readdir(path)) await unlock(join(path, name))
}

async function removeAbandoned(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const owner = Number(name.split('-')[0])
    if (Number.isInteger(owner) && owner > 0 && !isAlive(owner)) await removeTree(join(base, name))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
