/** Builds the guardian when its sources changed: `node guardian/build.ts`. Never fails a start: it says what is missing. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compilerRemedy, guardianBinary } from './binary.ts'

export type BuildResult =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'built'; readonly ms: number; readonly linking: 'static' | 'dynamic' }
  | { readonly kind: 'failed'; readonly problem: string }

const sources = fileURLToPath(new URL('./src', import.meta.url))
const flags = [
  ...['-std=c17', '-D_GNU_SOURCE', '-O2', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Werror'],
  ...['-fstack-protector-strong', '-D_FORTIFY_SOURCE=2', '-fno-common', '-Wl,-z,relro,-z,now,-z,noexecstack'],
]
/**
 * Static starts fastest, is the same wherever it was built, and needs no library inside. Where the C
 * library has no static form, dynamic does.
 */
const linkings = [
  { linking: 'static', flags: ['-static'] },
  { linking: 'dynamic', flags: ['-fPIE', '-pie'] },
] as const

/**
 * Make `binary` from the sources beside this file.
 *
 * Contract: afterwards the binary is of exactly these sources, or it is gone. It is replaced in one
 * step, so several builds at once do no harm.
 */
export async function buildGuardian(binary: string = guardianBinary): Promise<BuildResult> {
  const digest = await digestOfSources()
  const stamp = `${binary}.digest`
  if (existsSync(binary) && (await readOrNull(stamp)) === digest) return { kind: 'fresh' }

  await mkdir(dirname(binary), { recursive: true })
  const started = performance.now()
  const made = `${binary}.${process.pid}`
  let problem = ''
  for (const { linking, flags: how } of linkings) {
    const outcome = await compile([...flags, ...how, '-o', made, ...(await listSources())])
    if (outcome === null) {
      await rename(made, binary)
      await writeFile(stamp, digest)
      return { kind: 'built', ms: Math.round(performance.now() - started), linking }
    }
    problem = outcome
  }
  await Promise.all([binary, stamp, made].map((path) => rm(path, { force: true })))
  return { kind: 'failed', problem }
}

async function listSources(): Promise<string[]> {
  const names = await readdir(sources)
  return names.filter((name) => name.endsWith('.c')).map((name) => join(sources, name))
}

async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([flags, linkings, process.arch]))
  for (const name of (await readdir(sources)).sort()) hash.update(name).update(await readFile(join(sources, name)))
  return hash.digest('hex')
}

/** Null when it compiled, otherwise what stood in the way. */
async function compile(args: readonly string[]): Promise<string | null> {
  try {
    await promisify(execFile)('cc', args)
    return null
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    if (code === 'ENOENT') return 'there is no C compiler'
    return stderr?.split('\n').find((line) => line.includes('error')) ?? String(error)
  }
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return null
  }
}

if (import.meta.main) {
  const result = await buildGuardian()
  if (result.kind === 'fresh') console.log('guardian: up to date')
  if (result.kind === 'built') console.log(`guardian: built in ${result.ms} ms, ${result.linking}`)
  if (result.kind === 'failed') {
    console.log(
      `guardian: not built, ${result.problem}. Commands will not start; everything else works. Remedy: ${compilerRemedy}`,
    )
  }
}
