/** What this process is bound to, runs on, and was admitted to. */
import { policyDigest, rootPolicy } from '@bridlewise/engine'
import type { PostureLine } from '@bridlewise/shared'
import type { Accounts } from '../accounts/index.ts'
import type { CrashMemory } from './crash-memory.ts'
import { line } from './line.ts'
import { findMeddlers } from './meddling.ts'

const loopback = new Set(['127.0.0.1', '::1'])

/** `address` is what the listening socket says it is bound to; null while nothing listens. */
export function bindLine(address: { readonly address: string; readonly port: number } | null): PostureLine {
  const holds = address !== null && loopback.has(address.address)
  return line('boundary', 'loopback', {
    title: 'Only this machine can connect',
    state: holds ? 'enforced' : 'off',
    evidence: address ? `The listening socket says: ${address.address}, port ${address.port}.` : 'No socket listens.',
    remedy: 'Start the server with HARNESS_WEB_HOST unset.',
  })
}

export function runtimeLine(): PostureLine {
  const [major = 0] = process.versions.node.split('.').map(Number)
  return line('boundary', 'node', {
    title: 'The runtime is the pinned one',
    state: major === 24 ? 'enforced' : 'partly',
    evidence: `Node ${process.versions.node} on ${process.platform} ${process.arch}.`,
    remedy: 'Start with npm start, which uses the Node that this project pins.',
  })
}

/** What a crash would leave behind. Measured of this process; where the system does not say, nothing is claimed. */
export function crashLine(memory: CrashMemory): PostureLine {
  const files = [
    ...(memory.core === 'none'
      ? []
      : [memory.core === 'unknown' ? 'the system does not say what a core dump holds' : 'a core dump holds all of it']),
    ...(memory.reports ? ['reports of Node are on, or hold the environment'] : []),
  ]
  return line('boundary', 'crash', {
    title: 'A crash leaves nothing of the memory in a file',
    state: files.length === 0 ? 'enforced' : 'partly',
    evidence:
      files.length === 0
        ? 'No page of this process goes into a core dump, and Node writes no report. Commands have core dumps off.'
        : `Of this process: ${files.join('; ')}. Commands have core dumps off.`,
    remedy: 'Start it with npm start or bridlewise start, from a shell with: ulimit -c 0',
  })
}

/** Contract: says the names that are set, never what they are set to. */
export function environmentLine(environment: Readonly<Record<string, string | undefined>>): PostureLine {
  const set = findMeddlers(environment)
  return line('boundary', 'environment', {
    title: 'Nothing in the environment changes how the server itself runs',
    state: set.length === 0 ? 'enforced' : 'partly',
    evidence:
      set.length === 0
        ? 'No variable is set that loads code into Node, changes what it trusts, or makes it write files.'
        : `Set: ${set.map(({ name, effect }) => `${name} (${effect})`).join('; ')}. Commands do not get them.`,
    remedy: 'Start the server from a shell in which they are not set.',
  })
}

export function modelLine(fixtures: boolean): PostureLine {
  return line('model', 'fixtures', {
    title: 'Answers come from the model you chose',
    state: fixtures ? 'off' : 'enforced',
    evidence: fixtures
      ? 'HARNESS_WEB_LLM_FIXTURES=1: every provider plays recorded words, and every run is marked so.'
      : 'Recorded words are played for the provider of kind demo only, and marked.',
    remedy: 'Start the server without HARNESS_WEB_LLM_FIXTURES.',
  })
}

/** Contract: an acceptance of other words than those in force does not count. */
export function governanceLine(acceptance: ReturnType<Accounts['acceptance']>): PostureLine {
  const digest = policyDigest()
  const current = acceptance?.policyDigest === digest
  const policy = `policy ${rootPolicy.id} version ${rootPolicy.version}, digest ${digest.slice(0, 16)}`
  return line('governance', 'grant', {
    title: 'The capabilities were admitted by review',
    state: current ? 'partly' : 'off',
    evidence: acceptance
      ? current
        ? `Developer preview: ${acceptance.acceptedBy} accepted ${policy} on ${new Date(acceptance.acceptedAt).toISOString()}. No review has admitted it.`
        : `An older policy was accepted by ${acceptance.acceptedBy}; in force is ${policy}. No run starts.`
      : `Nobody has accepted ${policy}. No run starts.`,
    remedy: current
      ? 'None yet: the governance gate admits nothing on its own in this version.'
      : 'Accept the policy that is in force.',
  })
}
