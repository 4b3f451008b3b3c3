/** The names of what the guardian can put around a process, as its report spells them. */

/**
 * What a caller must require or waive, one by one.
 *
 * Contract: a layer named in a report held when the payload was started; none is ever listed in hope.
 */
export const optionalLayers = [
  /** An own user namespace: no capability over the host, even for root. */
  'user',
  /** An own pid namespace whose first process is the reaper; it dies with everything in it. */
  'pid',
  /** Own System V and POSIX message objects. */
  'ipc',
  /** An own network namespace with a loopback of its own and no way out. */
  'net',
  /** An own mount namespace with a fresh /proc and the hidden directories covered. Needs `pid`. */
  'mount',
  /** No capability left but those that move file ownership around. */
  'capabilities',
  /** Landlock denies TCP bind and connect. UDP is not covered by it. */
  'tcp',
  /** Landlock denies signals and abstract Unix sockets that reach outside. */
  'scopes',
  /** A deny list of system calls that a build does not need. */
  'seccomp',
  /** No socket of any family can be made, but for pairs. Needs `seccomp`. */
  'sockets',
] as const
export type OptionalLayer = (typeof optionalLayers)[number]

/** What always holds in a report that says `confined`. */
export const mandatoryLayers = ['supervisor', 'session', 'descriptors', 'limits', 'no_new_privs', 'landlock'] as const
export type Layer = (typeof mandatoryLayers)[number] | OptionalLayer

const known: ReadonlySet<string> = new Set([...mandatoryLayers, ...optionalLayers])

export function isLayer(name: unknown): name is Layer {
  return typeof name === 'string' && known.has(name)
}

/** The lowest Landlock ABI under which the guardian starts anything: before it, truncation is not covered. */
export const landlockFloor = 3
