/** Puts a bundle together: from a running server, or from a data home with or without one. */
import os from 'node:os'
import type { OwnRule } from '@bridlewise/engine'
import type { PostureLine } from '@bridlewise/shared'
import { type Diagnostics, diagnosticsFormat } from '@bridlewise/shared/wire'
import { variables } from '../config.ts'
import { findMeddlers } from '../posture/index.ts'
import { type Outline, outlineStore } from '../storage/index.ts'
import { type FaultBook, productRoot } from './fault-book.ts'
import { measureHealth } from './health.ts'
import { listHidden, type Machine } from './hidden.ts'
import { createHider } from './hide.ts'

export interface DiagnosticsParts {
  readonly version: string
  readonly homes: Machine['homes']
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What was measured here: the lines of the posture, or the doctor's. */
  readonly findings: () => Promise<readonly PostureLine[]>
  readonly limits: readonly { readonly id: string; readonly value: number; readonly unit: string }[]
  readonly now: () => number
}

export interface ServerParts extends DiagnosticsParts {
  readonly faults: Pick<FaultBook, 'list'>
  /** Every secret that is stored here. */
  readonly secrets: () => readonly string[]
  /** What anybody here has replaced besides. */
  readonly rules: () => readonly OwnRule[]
}

type Sections = Diagnostics['sections']

/**
 * What a running server says of itself.
 *
 * Contract: changes nothing. Every text went through the hider, with every name and secret that is
 * stored; a database whose names cannot be read gives no bundle but a fault.
 */
export async function gatherInServer(parts: ServerParts): Promise<Diagnostics> {
  const outline = await outlineStore(parts.homes.data)
  if (typeof outline === 'string') throw new Error(`the database of a running server is ${outline}`)
  const sections = { ...(await gatherAnywhere(parts, outline)), faults: [...parts.faults.list()], health: await measureHealth() }
  return wrap(parts, { madeBy: 'server', sections, outline, secrets: parts.secrets(), rules: parts.rules() })
}

/**
 * What can be said from outside, whether a server runs or not.
 *
 * Contract: changes nothing and needs no key. Where the database cannot be read its sections are
 * missing; no other section has a place for a name that is stored in it.
 */
export async function gatherFromHome(parts: DiagnosticsParts): Promise<Diagnostics> {
  const outline = await outlineStore(parts.homes.data)
  const known = typeof outline === 'string' ? null : outline
  return wrap(parts, {
    madeBy: 'command line',
    sections: await gatherAnywhere(parts, known),
    outline: known,
    secrets: [],
    rules: [],
  })
}

interface Gathered {
  readonly madeBy: Diagnostics['madeBy']
  readonly sections: Sections
  readonly outline: Outline | null
  readonly secrets: readonly string[]
  readonly rules: readonly OwnRule[]
}

function wrap(parts: DiagnosticsParts, { madeBy, sections, outline, secrets, rules }: Gathered): Diagnostics {
  const names = outline?.names ?? { users: [], projects: [], providers: [] }
  const hide = createHider({ hidden: listHidden(thisMachine(parts.homes), names), secrets, rules })
  return { format: diagnosticsFormat, madeAt: parts.now(), madeBy, leftOut: [], sections: hide(sections) }
}

async function gatherAnywhere(parts: DiagnosticsParts, outline: Outline | null): Promise<Sections> {
  const findings = await parts.findings()
  return {
    product: {
      version: parts.version,
      node: process.versions.node,
      platform: process.platform,
      arch: process.arch,
      kernel: os.release(),
      cpus: os.availableParallelism(),
      memoryBytes: os.totalmem(),
    },
    configuration: {
      variables: variables.map(({ name }) => tellVariable(name, parts.environment[name] ?? '')),
      meddling: findMeddlers(parts.environment).map(({ name }) => name),
    },
    findings: findings.map(({ id, area, title, state, evidence, remedy }) => ({ id, area, title, state, evidence, remedy })),
    limits: parts.limits.map(({ id, value, unit }) => ({ id, value, unit })),
    ...(outline === null
      ? {}
      : {
          storage: { bytes: outline.bytes, schema: outline.schema, tables: outline.tables === null ? null : [...outline.tables] },
          events: [...outline.events],
        }),
  }
}

/** Variables whose values say nothing of the machine; of every other only whether it is set. */
const harmless: ReadonlySet<string> = new Set(['HARNESS_WEB_HOST', 'HARNESS_WEB_PORT', 'HARNESS_WEB_LLM_FIXTURES'])

function tellVariable(name: string, value: string): NonNullable<Sections['configuration']>['variables'][number] {
  if (value === '') return { name, state: 'default', value: null }
  return { name, state: 'set', value: harmless.has(name) ? value : null }
}

function thisMachine(homes: Machine['homes']): Machine {
  return {
    hostName: os.hostname(),
    accountName: accountName(),
    userHome: os.homedir(),
    homes,
    temporary: os.tmpdir(),
    product: productRoot.replace(/\/$/, ''),
  }
}

/** An account of a container need not have a name. */
function accountName(): string {
  try {
    return os.userInfo().username
  } catch {
    return ''
  }
}
