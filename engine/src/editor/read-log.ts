/** What one run has seen: the digest of each file as it last read or wrote it. */

/** Only a file whose digest stands here, and still is the file's, may be changed by the run. */
export interface ReadLog {
  /** Note that the run has seen this content, by reading or by writing it. `path` is in normal form. */
  record(path: string, digest: string): void
  /** The digest the run saw last, or null. */
  digestOf(path: string): string | null
}

/** An empty log, for one run. It lives as long as the run: what an earlier run saw counts for nothing. */
export function createReadLog(): ReadLog {
  const seen = new Map<string, string>()
  return {
    record: (path, digest) => {
      seen.set(path, digest)
    },
    digestOf: (path) => seen.get(path) ?? null,
  }
}
