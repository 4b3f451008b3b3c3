/** What of the machine every command may see: the system's programs, a few files of /etc, four devices, and Node. */
import { access } from 'node:fs/promises'
import { basename, delimiter, dirname, join } from 'node:path'
import { contains, realpathOrNull, type Surroundings } from './roots.ts'

export interface SystemView {
  readonly exec: readonly string[]
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Where programs are looked for: Node first, then toolchains, then the system. Never the project. */
  readonly path: readonly string[]
}

const programs = ['/usr', '/bin', '/sbin', '/lib', '/lib64']
/** Not all of /etc/ssl: root could read the private keys beside the certificates. */
const files = [
  ...['/etc/ld.so.cache', '/etc/ssl/openssl.cnf', '/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/passwd', '/etc/group'],
  ...['/etc/nsswitch.conf', '/etc/alternatives', '/etc/localtime', '/dev/zero', '/dev/urandom', '/dev/random'],
]
const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin']

/**
 * Contract: every path exists, is real, and none lies in another of its list. A toolchain that would
 * open the home directory or a place kept apart is left out.
 */
export async function viewSystem(surroundings: Surroundings, toolchains: readonly string[]): Promise<SystemView> {
  const npm = await findNpm()
  const node = dirname((await realpathOrNull(process.execPath)) ?? process.execPath)
  const named = await realPaths(toolchains)
  const closed = await realPaths([surroundings.userHome, ...surroundings.apart])
  const opens = (path: string) => !closed.some((place) => contains(path, place))
  const bins = [...new Set([node, ...npm.path, ...named.map((root) => join(root, 'bin'))])].filter(
    (path) => opens(path) && !systemPath.includes(path),
  )
  return {
    exec: outermost([...(await realPaths(programs)), ...[node, ...npm.exec, ...named].filter(opens)]),
    read: outermost(await realPaths(files)),
    write: await realPaths(['/dev/null']),
    path: [...bins, ...systemPath],
  }
}

/** The npm of the server's own PATH, for Node's package brings none. */
async function findNpm(): Promise<{ exec: string[]; path: string[] }> {
  const found = await findOnPath('npm')
  const script = found === null ? null : await realpathOrNull(found)
  if (found === null || script === null || basename(script) !== 'npm-cli.js') return { exec: [], path: [] }
  const bin = (await realpathOrNull(dirname(found))) ?? dirname(found)
  return { exec: [bin, dirname(dirname(script))], path: [bin] }
}

async function findOnPath(name: string): Promise<string | null> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter).filter((entry) => entry.startsWith('/'))) {
    const path = join(directory, name)
    const found = await access(path).then(
      () => true,
      () => false,
    )
    if (found) return path
  }
  return null
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(realpathOrNull))
  return found.filter((path) => path !== null)
}

function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)]
  return unique.filter((path) => !unique.some((other) => other !== path && contains(other, path)))
}
