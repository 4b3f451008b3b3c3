/** The whole environment of a confined command. Nothing is inherited: a name that is not here does not exist inside. */

export interface Places {
  readonly path: readonly string[]
  readonly home: string
  readonly temporary: string
}

export function makeEnvironment(places: Places): Record<string, string> {
  return {
    PATH: places.path.join(':'),
    HOME: places.home,
    TMPDIR: places.temporary,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CI: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  }
}
