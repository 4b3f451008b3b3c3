/** Which meaning a word of the wire has on screen: a tone, a mark, and the word to show. */

export type Tone = 'neutral' | 'running' | 'effect' | 'waiting' | 'refused' | 'evidence' | 'untrusted'

/** The shape beside the word, so that colour never stands alone. */
export type Mark =
  | 'dot'
  | 'run'
  | 'check'
  | 'wait'
  | 'stop'
  | 'cross'
  | 'warn'
  | 'ask'
  | 'eye'
  | 'pencil'
  | 'bolt'
  | 'info'
  | 'minus'

export interface StateReading {
  readonly tone: Tone
  readonly mark: Mark
  readonly word: string
}

const reading = (tone: Tone, mark: Mark, word: string): StateReading => ({ tone, mark, word })

/** States of runs, calls, posture, policies, findings and files; one word means one thing everywhere. */
const readings: Readonly<Record<string, StateReading>> = {
  queued: reading('waiting', 'wait', 'queued'),
  running: reading('running', 'run', 'running'),
  completed: reading('effect', 'check', 'completed'),
  failed: reading('refused', 'cross', 'failed'),
  cancelled: reading('waiting', 'stop', 'stopped'),
  interrupted: reading('refused', 'warn', 'interrupted'),

  done: reading('effect', 'check', 'done'),
  refused: reading('refused', 'cross', 'refused'),
  denied: reading('refused', 'stop', 'denied'),
  blocked: reading('waiting', 'stop', 'blocked'),
  not_started: reading('refused', 'minus', 'not started'),
  killed: reading('refused', 'stop', 'killed'),
  timed_out: reading('refused', 'wait', 'timed out'),
  unknown: reading('refused', 'ask', 'outcome unknown'),

  full: reading('effect', 'check', 'full'),
  enforced: reading('effect', 'check', 'enforced'),
  partly: reading('waiting', 'warn', 'partly'),
  off: reading('refused', 'cross', 'off'),

  read: reading('evidence', 'eye', 'read'),
  write: reading('waiting', 'pencil', 'write'),
  execute: reading('untrusted', 'bolt', 'execute'),

  allow: reading('effect', 'check', 'allow'),
  ask: reading('waiting', 'ask', 'ask'),
  deny: reading('refused', 'stop', 'deny'),

  info: reading('evidence', 'info', 'info'),
  warning: reading('waiting', 'warn', 'warning'),
  error: reading('refused', 'cross', 'error'),

  supported: reading('effect', 'check', 'supported'),
  earlier: reading('evidence', 'info', 'earlier turn'),
  not_rechecked: reading('waiting', 'warn', 'not re-checked'),
  unsupported: reading('waiting', 'ask', 'unsupported'),
  contradicted: reading('refused', 'cross', 'contradicted'),

  created: reading('effect', 'check', 'created'),
  modified: reading('waiting', 'pencil', 'modified'),
  deleted: reading('refused', 'minus', 'deleted'),
}

/** Read a state. A word nobody registered is shown as it is, in no tone. */
export function readState(state: string): StateReading {
  return Object.hasOwn(readings, state)
    ? (readings[state] as StateReading)
    : { tone: 'neutral', mark: 'dot', word: state.replaceAll('_', ' ') }
}
