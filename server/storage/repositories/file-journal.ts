/** What has to be known to finish or take back a change of several files that a crash interrupted. */
export interface FileJournal {
  readonly projectId: string
  /** Each file as it was, which is kept as a version, and as it is to be; null for a file that is not there. */
  readonly files: readonly {
    readonly path: string
    readonly was: string | null
    readonly becomes: string | null
    /** Permission bits as they were. */
    readonly mode: number | null
  }[]
}

/** Hidden files of a change carry its id, so that those of a killed process are found again, and no others. */
export function tagOf(id: string): string {
  return `${id.slice(id.indexOf('_') + 1)}-`
}
