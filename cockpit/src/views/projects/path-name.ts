/** The name that a directory suggests: its last part. */
export function nameOfPath(path: string): string {
  return path.trim().split(/[\\/]/).filter(Boolean).at(-1) ?? ''
}
