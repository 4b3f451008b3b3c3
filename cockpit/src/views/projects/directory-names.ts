/** Names of directories, as the browser of directories uses them. */

/** The name that a path suggests: its last part. */
export function nameOfPath(path: string): string {
  return path.trim().split(/[\\/]/).filter(Boolean).at(-1) ?? ''
}

/** The order as it is, but names that begin with a dot after all others. */
export function hiddenLast<T extends { readonly name: string }>(directories: readonly T[]): T[] {
  const isHidden = ({ name }: T) => name.startsWith('.')
  return [...directories.filter((directory) => !isHidden(directory)), ...directories.filter(isHidden)]
}
