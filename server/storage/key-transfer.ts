/** Keys leave and enter the key home: as one file that a passphrase opens, never in the clear. */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type Homes, isInside, prepareHomes, systemProblem } from './homes.ts'
import { type KeyHome, openKeyHome, type Unlock } from './key-access.ts'
import { deriveOpener, drawPassphraseLock, mostKeyFileBytes, openKeys, readKeyText, sealKeys } from './key-file.ts'
import { fingerprint } from './key-home.ts'
import { listNeeded } from './key-list.ts'
import { type Lock, lockDataHome } from './lock.ts'
import { judgePassphrase } from './passphrase.ts'

export interface KeyFile {
  readonly path: string
  readonly passphrase: string
}

export interface KeyImport {
  readonly imported: readonly string[]
  /** Those that were there already. */
  readonly present: readonly string[]
}

/**
 * Write every key of the key home into a new file. A server may run meanwhile.
 *
 * Contract: when it answers with the ids, the file was read back from the disk and opened to the same
 * keys. It has mode 0600, lies in neither home, and replaced nothing.
 * Refuses: what `openKeyHome` refuses, data_home_unusable, key_file_unusable, passphrase_unusable.
 */
export async function exportKeys(wanted: Homes, file: KeyFile, unlock: Unlock = {}): Promise<Result<readonly string[]>> {
  const homes = prepareHomes(wanted)
  if (!homes.ok) return homes
  const home = await openKeyHome(homes.value.keys, unlock)
  if (!home.ok) return home
  const keys = home.value.read()
  if (!keys.ok) return keys
  if (keys.value.size === 0) return bad(file.path, `there is no key in ${homes.value.keys} to write into it`)
  const fit = judgePassphrase(file.passphrase)
  if (!fit.ok) return fit
  const place = findPlace(homes.value, file.path)
  if (!place.ok) return place
  const lock = drawPassphraseLock()
  const text = sealKeys([...keys.value.values()], lock, await deriveOpener(lock, file.passphrase))
  const written = writeNew(place.value, text)
  if (!written.ok) return written
  const back = await openKeyFile({ ...file, path: place.value })
  const ids = [...keys.value.keys()]
  if (back.ok && back.value.map(fingerprint).join() === ids.join()) return ok(ids)
  rmSync(place.value, { force: true })
  return bad(file.path, 'what was read back was not what had been written; it was removed')
}

/**
 * Put the keys of a file into the key home, beside those that are there.
 *
 * Contract: before anything is written it is known that they are keys of the data home, unless that
 * has sealed nothing yet, and that no key it needs stays missing. A key that is there is never touched.
 * No server runs, where the key home is protected: all keys lie in one file there.
 * Refuses: what `openKeyHome` refuses, data_home_unusable, data_home_locked, data_damaged, key_file_unusable,
 * key_file_unopened, key_file_unfit.
 */
export async function importKeys(wanted: Homes, file: KeyFile, unlock: Unlock = {}): Promise<Result<KeyImport>> {
  const homes = prepareHomes(wanted)
  if (!homes.ok) return homes
  const home = await openKeyHome(homes.value.keys, unlock)
  if (!home.ok) return home
  const lock: Result<Lock | null> = home.value.protection === 'none' ? ok(null) : lockDataHome(homes.value.data)
  if (!lock.ok) return lock
  try {
    return await bringKeys(homes.value, home.value, file)
  } finally {
    lock.value?.release()
  }
}

async function bringKeys(homes: Homes, home: KeyHome, file: KeyFile): Promise<Result<KeyImport>> {
  const there = home.read()
  if (!there.ok) return there
  const needed = listNeeded(homes.data)
  if (!needed.ok) return needed
  const opened = await openKeyFile(file)
  if (!opened.ok) return opened
  const brought = new Map(opened.value.map((key) => [fingerprint(key), key]))
  const complete = needed.value.every((id) => there.value.has(id) || brought.has(id))
  const related = needed.value.length === 0 || needed.value.some((id) => brought.has(id))
  if (!complete || !related) return refuse('key_file_unfit', { path: file.path, home: homes.data })
  const present = [...brought.keys()].filter((id) => there.value.has(id))
  const imported: string[] = []
  for (const [id, key] of brought) {
    if (there.value.has(id)) continue
    const stored = home.add(key)
    if (!stored.ok) return stored
    imported.push(id)
  }
  return ok({ imported, present })
}

async function openKeyFile({ path, passphrase }: KeyFile): Promise<Result<readonly Buffer[]>> {
  const text = readSmall(path)
  if (!text.ok) return text
  const read = readKeyText(text.value)
  if (read.kind === 'not') return bad(path, read.problem)
  const { lock } = read.sealed
  if (lock.kind === 'keychain') return bad(path, 'a keychain opens it, and no passphrase')
  const keys = openKeys(read.sealed, await deriveOpener(lock, passphrase))
  return keys === null ? refuse('key_file_unopened', { path }) : ok(keys)
}

function readSmall(path: string): Result<string> {
  try {
    // Does not wait for the other end of a pipe.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(file)
      if (!stat.isFile() || stat.size > mostKeyFileBytes) return bad(path, 'it is not a key file')
      return ok(readFileSync(file, 'utf8'))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return bad(path, systemProblem(error))
  }
}

/** Beside the data it would be carried off together with it; in the key home it would be taken for a key. */
function findPlace(homes: Homes, wanted: string): Result<string> {
  try {
    const path = join(realpathSync(dirname(resolve(wanted))), basename(wanted))
    const home = [homes.data, homes.keys].find((each) => isInside(path, each))
    return home === undefined ? ok(path) : bad(wanted, `it would lie in ${home}`)
  } catch (error) {
    return bad(wanted, systemProblem(error))
  }
}

function writeNew(path: string, text: string): Result<'written'> {
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return ok('written')
  } catch (error) {
    if (isTaken(error)) return bad(path, 'it exists already, and nothing is overwritten')
    rmSync(path, { force: true })
    return bad(path, systemProblem(error))
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

function bad(path: string, problem: string) {
  return refuse('key_file_unusable', { path, problem })
}
