/** What the store, the key home and the sealing say of themselves. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostureLine } from '@bridlewise/shared'
import {
  comfortableBytes,
  countBareKeys,
  type Protection,
  readProtection,
  type Store,
  type StoreFacts,
  sealBound,
  startFloorBytes,
} from '../storage/index.ts'
import { line } from './line.ts'

export async function storageLines(store: Pick<Store, 'facts' | 'homes'>): Promise<PostureLine[]> {
  const facts = store.facts()
  return [
    line('storage', 'one-server', {
      title: 'One server per data home',
      state: 'enforced',
      evidence: `Process ${process.pid} holds the exclusive lock on ${join(store.homes.data, 'lock.db')}; it was taken before the database was opened.`,
    }),
    durabilityLine(facts),
    integrityLine(facts.integrity),
    fileSystemLine(facts.fileSystem),
    spaceLine(facts.freeBytes),
    line('storage', 'sealed', {
      title: 'Prompts, messages, results and keys are sealed on disk',
      state: facts.refusesTampered ? 'enforced' : 'off',
      evidence: facts.refusesTampered
        ? 'AES-256-GCM, bound to its place: a value sealed just now was refused once one bit was changed.'
        : 'A value that was changed on purpose was not refused.',
      remedy: 'Stop the server and report this: stored values cannot be trusted.',
    }),
    await modesLine('data', store.homes.data),
    await modesLine('keys', store.homes.keys),
    ...keyLines(facts.keys),
    protectionLine(store.homes.keys),
  ]
}

/**
 * Contract: asks the key home now, not what it was when the server started. `off` is left to a file that
 * nobody should trust: keys in the clear are a choice, and their modes still keep other users out.
 */
export function protectionLine(home: string): PostureLine {
  const protection = readProtection(home)
  const told = protection.ok ? describeProtection(protection.value, home) : { evidence: protection.refusal.message }
  const bare = protection.ok && protection.value !== 'none' ? countBareKeys(home) : 0
  const beside = bare === 0 ? '' : ` ${bare} files beside it hold keys in the clear, from a protection that was cut off.`
  return line('keys', 'key-protection', {
    title: 'Whoever copies the key home cannot open it',
    state: protection.ok ? (protection.value === 'none' || bare > 0 ? 'partly' : 'enforced') : 'off',
    evidence: told.evidence + beside,
    remedy:
      bare > 0
        ? 'Start the server and unlock it: that finishes the protection.'
        : 'Stop the server and run: bridlewise keys protect. Or, to have the system open it: bridlewise keys keychain on',
  })
}

function describeProtection(protection: Protection, home: string): { readonly evidence: string } {
  switch (protection) {
    case 'none':
      return { evidence: `The keys lie in files of ${home}. Only their modes keep them from being read or copied.` }
    case 'passphrase':
      return { evidence: `The keys lie in one file of ${home}, under a passphrase (scrypt, at least 128 MiB for each guess).` }
    case 'keychain':
      return {
        evidence: `The keys lie in one file of ${home}, under an entry of the system's keychain, which was read at the start.`,
      }
  }
}

/** What the list of keys says: how often the newest sealed, and whether others are still in use. */
function keyLines(keys: StoreFacts['keys']): PostureLine[] {
  const seals = keys.at(-1)?.seals ?? 0
  return [
    line('keys', 'key-use', {
      title: 'The sealing key is used less often than its cipher allows',
      state: seals < sealBound / 2 ? 'enforced' : 'partly',
      evidence: `At most ${seals.toLocaleString('en')} values were sealed with it; the bound is ${sealBound.toLocaleString('en')}.`,
      remedy: 'Restart the server: it goes on with a new key. Then run: bridlewise keys rotate',
    }),
    line('keys', 'one-key', {
      title: 'Everything sealed is under one key',
      state: keys.length === 1 ? 'enforced' : 'partly',
      evidence: `The database lists ${keys.length === 1 ? '1 key' : `${keys.length} keys`} that sealed values may name.`,
      remedy: 'Stop the server and run: bridlewise keys rotate',
    }),
  ]
}

function durabilityLine(facts: StoreFacts): PostureLine {
  const holds = facts.journalMode === 'wal' && facts.synchronous === 2
  return line('storage', 'durable', {
    title: 'What is recorded survives a power cut',
    state: holds ? 'enforced' : 'partly',
    evidence: `SQLite ${facts.sqlite} answers: journal_mode ${facts.journalMode}, synchronous ${facts.synchronous} (2 is FULL).`,
    remedy: 'Move the data home to a local file system; some network file systems do not take write-ahead logging.',
  })
}

/** Contract: one that cannot be trusted at all stopped the start. */
export function fileSystemLine({ name, trust, remark }: StoreFacts['fileSystem']): PostureLine {
  return line('storage', 'file-system', {
    title: 'The data home lies where locks and syncs hold',
    state: trust === 'full' ? 'enforced' : 'partly',
    evidence: `The kernel says: ${name}${remark === null ? '' : `; ${remark}`}.`,
    remedy: 'Move the data home to a disk of this machine.',
  })
}

export function integrityLine(integrity: StoreFacts['integrity']): PostureLine {
  const title = 'The database is whole'
  if (integrity.state === 'sound') {
    return line('storage', 'whole', { title, state: 'enforced', evidence: 'SQLite read every page and found nothing wrong.' })
  }
  if (integrity.state === 'unchecked') {
    const evidence = `It was not read whole: ${integrity.reason}.`
    return line('storage', 'whole', { title, state: 'partly', evidence, remedy: 'Run: bridlewise doctor' })
  }
  return line('storage', 'whole', {
    title,
    state: 'off',
    evidence: `Reading it found: ${integrity.problem}.`,
    remedy: 'Stop the server and restore a backup: bridlewise restore <file>. What lies there now is kept.',
  })
}

export function spaceLine(freeBytes: number | null): PostureLine {
  const enough = freeBytes !== null && freeBytes >= comfortableBytes
  return line('storage', 'space', {
    title: 'The disk of the data home has room',
    state: enough ? 'enforced' : 'partly',
    evidence:
      freeBytes === null
        ? 'The file system does not say how much is free.'
        : `${freeBytes} bytes are free; a start needs ${startFloorBytes}, and below ${comfortableBytes} this line warns.`,
    remedy: 'Make room on that disk. A full disk loses nothing that was acknowledged; it ends runs.',
  })
}

/** Contract: looks at the modes now, not at what they were when the server started. */
export async function modesLine(area: 'data' | 'keys', home: string): Promise<PostureLine> {
  const open: string[] = []
  for (const name of ['.', ...(await readdir(home))]) {
    // A file of the database may be gone by the time it is looked at.
    const entry = await lstat(join(home, name)).catch(() => null)
    if (entry && (entry.mode & 0o077) !== 0 && !(area === 'data' && name !== '.' && entry.isDirectory())) open.push(name)
  }
  return line(area === 'keys' ? 'keys' : 'storage', `${area}-modes`, {
    title: area === 'keys' ? 'Only this user can read the key home' : 'Only this user can read the data home',
    state: open.length === 0 ? 'enforced' : 'off',
    evidence:
      open.length === 0 ? `No entry of ${home} is open to others.` : `Open to others in ${home}: ${open.slice(0, 5).join(', ')}.`,
    remedy: `Run: chmod -R go= ${home}`,
  })
}
