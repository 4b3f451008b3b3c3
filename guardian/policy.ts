/** A policy as an object, and the argument list that says it to the guardian. */
import { type OptionalLayer, optionalLayers } from './layers.ts'

export interface Policy {
  /** Trees and files that can be read, changed and executed. Absolute, without a link on the way. */
  readonly write: readonly string[]
  /** Trees and files that can be read and executed. */
  readonly exec: readonly string[]
  /** Trees and files that can be read. */
  readonly read: readonly string[]
  /** Directories covered by an empty one; needs the layer `mount`. */
  readonly hide: readonly string[]
  readonly cwd: string
  /** Layers that must hold; every other optional layer is waived, and the report says what that leaves open. */
  readonly require: readonly OptionalLayer[]
  readonly limits: Readonly<Partial<Record<LimitName, number>>>
  /** Milliseconds between asking the processes to end and ending them. */
  readonly graceMs: number
}

/** Open files, processes of the user, bytes of one file. The core size is always 0. */
export type LimitName = 'nofile' | 'nproc' | 'fsize'

/**
 * Say a policy and a command as the guardian's arguments.
 *
 * Contract: the report goes to `reportFd`, which the payload does not inherit. Nothing in `command`
 * is read as an option, whatever it looks like.
 */
export function buildArguments(policy: Policy, reportFd: number, command: readonly string[]): string[] {
  const required = new Set<string>(policy.require)
  return [
    ...['--report', String(reportFd), '--chdir', policy.cwd, '--grace', String(policy.graceMs)],
    ...optionalLayers.flatMap((layer) => [required.has(layer) ? '--require' : '--waive', layer]),
    ...Object.entries(policy.limits).flatMap(([name, value]) => ['--limit', `${name}=${value}`]),
    ...policy.hide.flatMap((path) => ['--hide', path]),
    ...policy.write.flatMap((path) => ['--write', path]),
    ...policy.exec.flatMap((path) => ['--exec', path]),
    ...policy.read.flatMap((path) => ['--read', path]),
    '--',
    ...command,
  ]
}
