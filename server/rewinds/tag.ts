/** The hidden files of a rewind carry its id, so that those of a killed process are found again, and no others. */
export function tagOf(rewindId: string): string {
  return `${rewindId.replace('rewind_', '')}-`
}
