/**
 * What a model is told of a project before it looks: the names in its root, and the commands that its own
 * files name. Both change rarely, so requests of a chat begin alike; both are data of others, and bounded.
 */
import type { FileLines } from '@bridlewise/shared/wire'
import type { Workspace } from '../../workspace/index.ts'

export interface ProjectOutline {
  /** Ready to stand in the system message; empty for a project that has nothing to tell. */
  readonly text: string
  /** The files that words of it come from. */
  readonly files: readonly FileLines[]
}

const mostEntries = 40
const mostCommands = 24
/** Longer names are for people who hide sentences in them. */
const longestName = 60
/** A manifest larger than this is not read: nobody writes one by hand. Bytes. */
const manifestLimit = 256 * 1024

/** Read it. Contract: what a rule keeps from models, what is ignored, and what cannot be read is left out; nothing is refused. */
export async function outlineProject(workspace: Workspace): Promise<ProjectOutline> {
  const listing = await workspace.list('.')
  if (!listing.ok) return { text: '', files: [] }
  const names = listing.value.entries
    .filter(({ path, type }) => (type === 'file' || type === 'directory') && path.length <= longestName)
    .map(({ path, type }) => JSON.stringify(type === 'directory' ? `${path}/` : path))
  const files: FileLines[] = []
  const commands: string[] = []
  for (const manifest of manifests) {
    const read = await workspace.read(manifest.path, manifestLimit)
    if (!read.ok) continue
    const found = manifest.find(Buffer.from(read.value.bytes).toString('utf8'))
    const named = [...new Set(found)].filter((name) => name.length <= longestName).slice(0, mostCommands)
    if (named.length === 0) continue
    commands.push(
      `${manifest.path} names the commands ${named.map((name) => JSON.stringify(`${manifest.runner} ${name}`)).join(', ')}.`,
    )
    files.push({ path: manifest.path, lines: [], digest: read.value.digest })
  }
  const rest = listing.value.entries.length - Math.min(names.length, mostEntries)
  const shown = names.slice(0, mostEntries).join(', ')
  const told = shown === '' ? [] : [`In its root: ${shown}${rest > 0 ? `, and ${rest} more` : ''}.`]
  return { text: [...told, ...commands].join('\n'), files }
}

interface Manifest {
  readonly path: string
  readonly runner: string
  /** The names of what it can be asked to run. Anything that is no plain word is not one. */
  readonly find: (text: string) => readonly string[]
}

const word = /^[A-Za-z0-9][\w.:@/-]*$/

const manifests: readonly Manifest[] = [
  { path: 'package.json', runner: 'npm run', find: (text) => keysOf(text, 'scripts') },
  { path: 'composer.json', runner: 'composer run', find: (text) => keysOf(text, 'scripts') },
  { path: 'deno.json', runner: 'deno task', find: (text) => keysOf(text, 'tasks') },
  { path: 'Makefile', runner: 'make', find: (text) => startsOf(text, /^([\w./-]+)(?: [\w./-]+)*:(?!=)/gm) },
  { path: 'justfile', runner: 'just', find: (text) => startsOf(text, /^([A-Za-z][\w-]*)[^:=\n]*:(?!=)/gm) },
]

function keysOf(text: string, field: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(text)?.[field]
    return typeof found === 'object' && found !== null && !Array.isArray(found)
      ? Object.keys(found).filter((key) => word.test(key))
      : []
  } catch {
    return []
  }
}

function startsOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '').filter((name) => word.test(name))
}
