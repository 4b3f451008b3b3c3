/** A digest over the engine's sources: any byte of any file changes it, and nothing else does. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface SourcesDigest {
  /** SHA-256, in hex. */
  readonly digest: string
  readonly files: number
}

/**
 * Digest `package.json` and everything below `src`.
 *
 * Contract: the same for the same names and bytes, wherever they lie and in whatever order the file
 * system lists them: SHA-256 over one line `<sha-256 of the bytes> <name as JSON>` per file, sorted by name.
 * What is neither a file nor a directory throws: a link would let sources change behind the digest.
 */
export async function digestSources(home: string): Promise<SourcesDigest> {
  const names = ['package.json', ...(await listFiles(home, 'src'))].sort()
  const digest = createHash('sha256')
  for (const name of names) {
    const bytes = await readFile(join(home, name))
    digest.update(`${createHash('sha256').update(bytes).digest('hex')} ${JSON.stringify(name)}\n`)
  }
  return { digest: digest.digest('hex'), files: names.length }
}

async function listFiles(home: string, directory: string): Promise<string[]> {
  const names: string[] = []
  for (const entry of await readdir(join(home, directory), { withFileTypes: true })) {
    const name = `${directory}/${entry.name}`
    if (entry.isDirectory()) names.push(...(await listFiles(home, name)))
    else if (entry.isFile()) names.push(name)
    else throw new Error(`${name} is neither a file nor a directory`)
  }
  return names
}
