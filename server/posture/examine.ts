/** An examination without a server: the same measurements as the posture's, and what only somebody outside can look at. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PostureLine } from '@bridlewise/shared'
import type { Confinement, GuardianProbe } from '../confinement/index.ts'
import { type DatabaseFindings, type Homes, type Inspection, inspectStore, type Unlock } from '../storage/index.ts'
import { confinementLines, confinementState } from './confinement-lines.ts'
import { line } from './line.ts'
import { runtimeLine } from './server-lines.ts'
import { integrityLine, modesLine, protectionLine, spaceLine } from './storage-lines.ts'

export interface ExaminationParts {
  readonly homes: Homes
  readonly confinement: Pick<Confinement, 'probe'>
  /** Where the build of the cockpit lies. */
  readonly cockpitHome: string
  /** What opens a key home that is protected; without it the ledger is not read. */
  readonly unlock?: Unlock
}

/**
 * Contract: changes nothing, whether a server runs or not. Reads every page of the database and every
 * entry of the ledger. A line whose state is `off` stops work or endangers data.
 */
export async function examineHost({ homes, confinement, cockpitHome, unlock = {} }: ExaminationParts): Promise<PostureLine[]> {
  return [
    runtimeLine(),
    cockpitLine(cockpitHome),
    guardianLine(await confinement.probe()),
    ...(existsSync(homes.keys) ? [await modesLine('keys', homes.keys), protectionLine(homes.keys)] : []),
    ...(existsSync(homes.data)
      ? [await modesLine('data', homes.data), ...inspectionLines(await inspectStore(homes, unlock))]
      : [absentLine(homes.data)]),
  ]
}

function cockpitLine(home: string): PostureLine {
  const built = existsSync(join(home, 'index.html'))
  return line('boundary', 'cockpit', {
    title: 'The cockpit is built',
    state: built ? 'enforced' : 'partly',
    evidence: built ? `There is an index.html in ${home}.` : `There is no index.html in ${home}.`,
    remedy: 'Start with npm start, which builds it, or run: node cockpit/build.ts',
  })
}

function guardianLine(probe: GuardianProbe): PostureLine {
  const lines = confinementLines(probe)
  const open = lines.filter(({ state }) => state !== 'enforced')
  const state = { full: 'enforced', partly: 'partly', off: 'off' } as const
  return line('confinement', 'guardian', {
    title: 'Commands are confined by the kernel',
    state: state[confinementState(probe)],
    evidence: [...new Set([...lines.slice(0, 1), ...open])].map(({ evidence }) => evidence).join(' '),
    remedy: open[0]?.remedy ?? 'Run: node guardian/build.ts',
  })
}

function absentLine(home: string): PostureLine {
  return line('storage', 'data', { title: 'The data home', state: 'enforced', evidence: `${home} is made at the first start.` })
}

function inspectionLines({ holder, freeBytes, database }: Inspection): PostureLine[] {
  const server = line('storage', 'server', {
    title: 'At most one server uses the data home',
    state: 'enforced',
    evidence: holder === null ? 'Nobody holds the lock.' : `The lock is held by ${holder}.`,
  })
  return [server, spaceLine(freeBytes), ...(database === null ? [] : databaseLines(database))]
}

function databaseLines(found: DatabaseFindings): PostureLine[] {
  const integrity = found.damage === null ? ({ state: 'sound' } as const) : ({ state: 'damaged', problem: found.damage } as const)
  return [
    integrityLine(integrity),
    line('storage', 'complete', {
      title: 'Nothing is missing of what was recorded',
      state: found.missing === null ? 'enforced' : 'off',
      evidence:
        found.missing === null ? 'The files and the newest ledger entry are those that were noted down.' : found.missing.message,
      remedy: 'Put the missing file back, or restore a backup.',
    }),
    schemaLine(found),
    keysLine(found),
    ledgerLine(found),
  ]
}

function schemaLine({ schema, bytes, sqlite, journalMode }: DatabaseFindings): PostureLine {
  const says = {
    current: 'its schema is the one of this version',
    older: 'its schema is older; the next start keeps a copy and brings it up to date',
    newer: 'it was written by a newer version',
  }
  return line('storage', 'schema', {
    title: 'This version can open the database',
    state: schema === 'newer' ? 'off' : 'enforced',
    evidence: `${bytes} bytes, SQLite ${sqlite}, journal_mode ${journalMode}; ${says[schema]}.`,
    remedy: 'Start the newer version.',
  })
}

function keysLine({ keys }: DatabaseFindings): PostureLine {
  const title = 'The keys that the data needs are there'
  if (!keys.ok && keys.refusal.code === 'key_home_locked') {
    const remedy = 'Run this at a terminal, or name a file with the passphrase in HARNESS_WEB_PASSPHRASE_FILE.'
    return line('keys', 'keys', { title, state: 'partly', evidence: 'The key home is locked, so nobody looked.', remedy })
  }
  return line('keys', 'keys', {
    title,
    state: keys.ok ? 'enforced' : 'off',
    evidence: keys.ok ? `${keys.value} needed, each found, each the key that its name says.` : keys.refusal.message,
    remedy: 'Put the key home back. A new key is never made over old data.',
  })
}

function ledgerLine({ ledger }: DatabaseFindings): PostureLine {
  const title = 'The ledger verifies'
  if (ledger === null) {
    const evidence = 'It was not read: the keys or the pages forbid it.'
    return line('storage', 'ledger', { title, state: 'partly', evidence, remedy: 'See the lines on keys and pages.' })
  }
  const { entries, erased, head, broken } = ledger
  return line('storage', 'ledger', {
    title,
    state: broken === null ? 'enforced' : 'off',
    evidence:
      broken === null
        ? `${entries} entries, ${erased} of them erased on request, head ${head ?? 'none'}.`
        : `Entry ${broken.seq} ${broken.problem}.`,
    remedy: 'Keep the data home as it is, and restore a backup from before the change.',
  })
}
