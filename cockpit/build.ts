/**
 * Build the cockpit into `dist/`, but only when something it is made of has changed.
 *
 * What counts is content, not time: a digest over the sources, the contract, the configuration and
 * the lock file is kept beside the last build that finished. A build that was killed leaves no
 * digest, so it is never taken for a whole one.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const cockpit = import.meta.dirname
const house = join(cockpit, '..')
const stamp = join(cockpit, '.cache', 'built')

const madeOf = [
  'cockpit/src',
  'cockpit/public',
  'shared',
  'cockpit/index.html',
  'cockpit/package.json',
  'cockpit/svelte.config.js',
  'cockpit/vite.config.ts',
  'pnpm-lock.yaml',
]

const digest = await digestOf(madeOf)
if (existsSync(join(cockpit, 'dist', 'index.html')) && (await readStamp()) === digest) {
  console.log('cockpit: up to date')
} else {
  await rm(stamp, { force: true })
  const started = performance.now()
  const { build } = await import('vite')
  await build({ configFile: join(cockpit, 'vite.config.ts'), logLevel: 'warn' })
  await mkdir(join(stamp, '..'), { recursive: true })
  await writeFile(stamp, digest)
  console.log(`cockpit: built in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

/** SHA-256 over every file's path and bytes, in path order. Tests are not part of the build. */
async function digestOf(places: readonly string[]): Promise<string> {
  const files: string[] = []
  for (const place of places) files.push(...(await filesUnder(join(house, place))))
  const hash = createHash('sha256').update(process.version)
  for (const file of files.sort()) hash.update(`\0${relative(house, file)}\0`).update(await readFile(file))
  return hash.digest('hex')
}

async function filesUnder(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null)
  if (!entries) return [path]
  return entries
    .filter(
      (entry) => entry.isFile() && !/(^|[\\/])node_modules([\\/]|$)/.test(entry.parentPath) && !entry.name.endsWith('.test.ts'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
}

async function readStamp(): Promise<string | null> {
  return readFile(stamp, 'utf8').catch(() => null)
}
