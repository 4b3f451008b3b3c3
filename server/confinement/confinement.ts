/** The one place that starts processes, and the state it keeps while they are alive. */
import type { ProcessPort } from '@bridlewise/engine'
import type { GuardianProbe } from './host.ts'

export interface ConfinementOptions {
  /** Directories that no process may see, nor any project lie in or hold: the data home, the key home. */
  readonly homes: readonly string[]
  /** The user's home directory; its dot-files stay out of reach. */
  readonly userHome: string
  /** Where each command's private HOME and TMPDIR are made. */
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
  /** End whatever is alive and remove what was made. Nothing starts afterwards. */
  close(): Promise<void>
}
