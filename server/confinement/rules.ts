/** The policy of a command: what is the same for all of them, and what its project adds. */
import { createHash } from 'node:crypto'
import type { ProcessSpec } from '@bridlewise/engine'
import type { Policy } from '@bridlewise/guardian'
import type { Guardian } from './host.ts'
import { contains, realpathOrNull, type Surroundings } from './roots.ts'
import type { Scratch } from './scratch.ts'
import type { SystemView } from './system.ts'

export interface Rules {
  /** The system part of PATH. */
  readonly path: readonly string[]
  /** The policy for one command, and its digest, in which the private directories have no part. */
  make(place: Place, scratch: Scratch): { policy: Policy; digest: string }
}

/** Real paths. */
export interface Place extends Pick<ProcessSpec, 'root' | 'cwd' | 'access'> {
  /** What may be written; null for all of the project. */
  readonly writable: readonly string[] | null
}

/** From asking processes to end until ending them; with what follows, a cancel is over within 5 s. */
export const graceMs = 1_500

/** A bound for accidents: a runaway file, a fork bomb. The kernel does not count processes of the host's root. */
export const limits = { nofile: 65_536, fsize: 8 * 1024 ** 3 } as const
/** Counts threads too, and only those in the own user namespace. */
const processLimit = { nproc: 4_096 } as const

/** Directories to cover by empty ones where the host allows it: other people's files, sockets, temporary files. */
const places = ['/home', '/root', '/tmp', '/var/tmp', '/run', '/dev/shm', '/mnt', '/media', '/srv']

/** Everything constant is worked out here, once. */
export async function prepareRules(guardian: Guardian, surroundings: Surroundings, system: SystemView): Promise<Rules> {
  const own = new Set(guardian.require)
  const hide = own.has('mount') ? await listHidden(surroundings) : []
  const read = [...system.read]
  // A private loopback needs the name `localhost`; a private /proc shows nobody else's processes.
  if (own.has('net')) read.push(...(await existing(['/etc/hosts'])))
  if (own.has('mount')) read.push('/proc')
  const constant = {
    read,
    hide,
    require: guardian.require,
    limits: own.has('user') ? { ...limits, ...processLimit } : limits,
    graceMs,
  }

  return {
    path: system.path,
    make({ root, cwd, access, writable }, scratch) {
      const whole = access === 'write' && writable === null
      const project = { write: whole ? [root] : access === 'write' ? (writable ?? []) : [], exec: whole ? [] : [root] }
      const exec = [...system.exec, ...project.exec]
      const write = [...system.write, ...project.write]
      const digest = createHash('sha256')
        .update(JSON.stringify({ ...constant, exec, write }))
        .digest('hex')
      return { policy: { ...constant, cwd, exec, write: [...write, scratch.home, scratch.temporary] }, digest }
    },
  }
}

async function listHidden(surroundings: Surroundings): Promise<string[]> {
  const wanted = await existing([...places, surroundings.userHome, ...surroundings.apart])
  return wanted.filter((path) => !wanted.some((other) => other !== path && contains(other, path)))
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map(realpathOrNull))
  return [...new Set(real.filter((path) => path !== null))]
}
