/** The one place that starts processes, and the state it keeps while they are alive. */
import { join, relative } from 'node:path'
import type { ProcessOutcome, ProcessPort, ProcessSpec } from '@bridlewise/engine'
import type { ReportReader } from '@bridlewise/guardian'
import { makeRefusal, ok, type Refusal, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Receipt } from '@bridlewise/shared/wire'
import { runCommand } from './command.ts'
import { makeEnvironment } from './environment.ts'
import { expectedLayers, type Guardian, type GuardianProbe, measureGuardian } from './host.ts'
import { checkRoot, contains, realpathOrNull, type Surroundings } from './roots.ts'
import { type Place, prepareRules, type Rules } from './rules.ts'
import { openScratchRoom, type ScratchRoom } from './scratch.ts'
import { testConfinement } from './self-test.ts'
import { viewSystem } from './system.ts'

export interface ConfinementOptions {
  /** Directories that no process may see, nor any project lie in or hold: the data home, the key home. */
  readonly homes: readonly string[]
  /** The user's home directory; its dot-files stay out of reach. */
  readonly userHome: string
  /** Where each command's private HOME and TMPDIR are made; this user's alone. */
  readonly scratch: string
  /** Toolchains outside the system directories, readable and executable: pyenv, rustup, go. */
  readonly toolchains: readonly string[]
  /** The guardian to use. */
  readonly binary: string
}

export interface Confinement {
  /** The port the engine runs commands through. */
  processPort(): ProcessPort
  /** What was measured on this host; measured once, at the first call. */
  probe(): Promise<GuardianProbe>
  /** Whether a directory may be a project. Refuses: project_missing, project_path_invalid. */
  checkRoot(root: string): Promise<Result<string>>
  /** End whatever is alive and remove what was made. Nothing starts afterwards. */
  close(): Promise<void>
}

/** What is needed to start commands; there is none of it before the host was measured and the self-test passed. */
interface Ready {
  readonly guardian: Guardian
  readonly rules: Rules
  readonly room: ScratchRoom
  readonly notCovered: readonly string[]
}

/** Make the confinement of one server. Nothing is measured or started yet. */
export function createConfinement(options: ConfinementOptions): Confinement {
  const surroundings: Surroundings = { userHome: options.userHome, apart: [...options.homes, options.scratch] }
  const active = new Map<Promise<unknown>, AbortController>()
  let closed = false
  let measuredAt = 0
  let preparing: Promise<Result<Ready>> | null = null

  const ready = () => {
    preparing ??= prepare(options, surroundings).then((result) => {
      measuredAt = Date.now()
      return result
    })
    return preparing
  }

  const run = async (spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome> => {
    const prepared = await ready()
    if (!prepared.ok) return notStarted(prepared.refusal)
    if (!prepared.value.guardian.unchanged()) return notStarted(changed())
    const place = await findPlace(surroundings, spec)
    if (!place.ok) return notStarted(place.refusal)
    if (closed) return notStarted(makeRefusal('confinement_failed', { problem: 'the server is closing' }))
    return startIn(prepared.value, { ...place.value, spec }, signal)
  }

  return {
    processPort: () => ({
      run(spec, signal) {
        const end = new AbortController()
        const outcome = run(spec, AbortSignal.any([signal, end.signal])).finally(() => active.delete(outcome))
        active.set(outcome, end)
        return outcome
      },
    }),
    async probe() {
      const prepared = await ready()
      return prepared.ok ? describe(prepared.value, measuredAt) : { state: 'refused', refusal: prepared.refusal, measuredAt }
    },
    checkRoot: (root) => checkRoot(surroundings, root),
    async close() {
      closed = true
      for (const end of active.values()) end.abort()
      await Promise.allSettled(active.keys())
      const prepared = await preparing
      if (prepared?.ok) await prepared.value.room.remove()
    },
  }
}

async function prepare(options: ConfinementOptions, surroundings: Surroundings): Promise<Result<Ready>> {
  const guardian = await measureGuardian(options.binary)
  if (!guardian.ok) return guardian
  const opened = await openScratchRoom(options.scratch)
  if (!opened.ok) return opened
  const room = opened.value
  const system = await viewSystem(surroundings, options.toolchains)
  const rules = await prepareRules(guardian.value, surroundings, system)
  const tested = await testConfinement(room, (root, argv) =>
    startIn({ guardian: guardian.value, rules, room, notCovered: [] }, trial(root, argv), new AbortController().signal),
  )
  if (tested.ok) return ok({ guardian: guardian.value, rules, room, notCovered: tested.value.notCovered })
  await room.remove()
  return tested
}

function trial(root: string, argv: readonly string[]): Placed {
  return {
    root,
    cwd: root,
    writable: null,
    spec: { argv, cwd: root, root, access: 'write', deadlineMs: 10_000, outputLimit: 4_096 },
  }
}

interface Placed extends Omit<Place, 'access'> {
  readonly spec: ProcessSpec
}

/** Refuses: command_invalid, project_missing, project_path_invalid. */
async function findPlace(surroundings: Surroundings, spec: ProcessSpec): Promise<Result<Omit<Placed, 'spec'>>> {
  if (spec.argv.length === 0 || spec.argv[0] === '') return refuse('command_invalid', { problem: 'it is empty' })
  const root = await checkRoot(surroundings, spec.root)
  if (!root.ok) return root
  const cwd = await realpathOrNull(spec.cwd)
  if (cwd === null) return refuse('command_invalid', { problem: 'its directory does not exist' })
  if (!contains(root.value, cwd)) return refuse('command_invalid', { problem: 'its directory is outside the project' })
  const writable = spec.writable ? await findWritable(root.value, { root: spec.root, paths: spec.writable }) : ok(null)
  return writable.ok ? ok({ root: root.value, cwd, writable: writable.value }) : writable
}

/**
 * The real paths of what may be written: those that are there.
 *
 * A link on the way would open what it leads to. Refuses: command_invalid.
 */
async function findWritable(
  real: string,
  { root, paths }: { readonly root: string; readonly paths: readonly string[] },
): Promise<Result<readonly string[]>> {
  const found: string[] = []
  for (const path of paths) {
    const inside = relative(root, path)
    const expected = join(real, inside)
    const there = await realpathOrNull(path)
    if (there === null) continue
    if (there !== expected || !contains(real, there)) {
      return refuse('command_invalid', { problem: `what it may change, ${inside}, is a link or outside the project` })
    }
    found.push(there)
  }
  return ok(found)
}

async function startIn({ guardian, rules, room }: Ready, place: Placed, signal: AbortSignal): Promise<ProcessOutcome> {
  const scratch = room.make()
  const { access } = place.spec
  const { root, cwd, writable } = place
  const { policy, digest } = rules.make({ root, cwd, access, writable }, scratch)
  const receipt = (reader: ReportReader): Receipt => ({
    guardian: guardian.digest,
    abi: guardian.facts.abi,
    layers: [...(reader.find('confined')?.layers ?? [])],
    notCovered: [...(reader.find('confined')?.notCovered ?? [])],
    access,
    network: guardian.network,
    policy: digest,
  })
  const environment = makeEnvironment({ path: rules.path, home: scratch.home, temporary: scratch.temporary })
  const outcome = await runCommand({ binary: guardian.binary, policy, environment, spec: place.spec, receipt }, signal)
  await scratch.remove()
  return outcome
}

function describe({ guardian, notCovered }: Ready, measuredAt: number): GuardianProbe {
  const { facts, network } = guardian
  return {
    state: 'ready',
    abi: facts.abi,
    layers: expectedLayers(guardian),
    missing: facts.missing,
    notCovered,
    network,
    measuredAt,
  }
}

function notStarted(refusal: Refusal): ProcessOutcome {
  return { kind: 'not_started', refusal }
}

function changed(): Refusal {
  return makeRefusal('guardian_unusable', { problem: 'its program has changed since it was measured; start the server again' })
}
