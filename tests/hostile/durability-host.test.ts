/**
 * What a data home may lie on, and who else may come to it: file systems that are full, read-only or another's, the same directory by
 * another mount, from another user and from another process namespace.
 *
 * Small file systems are mounted in a namespace of the test's own. Where the host forbids that, the test says so.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileCache } from '../support/crash-writer.ts'

const root = join(import.meta.dirname, '../..')

/** Opens the store of the data home and the key home given, says how that went, and closes or keeps it. */
const opener = `
  import { openStore } from ${JSON.stringify(join(root, 'server/storage/index.ts'))}
  const [data, keys, then] = process.argv.slice(1)
  const opened = await openStore({ data, keys })
  console.log(opened.ok ? 'opened ' + opened.value.facts().fileSystem.name : opened.refusal.code + ': ' + opened.refusal.message)
  if (opened.ok && then === 'keep') setInterval(() => opened, 1000)
  else if (opened.ok) opened.value.close()`

const open = '"$NODE" --input-type=module -e "$OPENER"'

let base: string
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'bridlewise-host-'))
  chmodSync(base, 0o755)
  mkdirSync(join(base, 'disk'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const environment = () => ({
  PATH: process.env['PATH'] ?? '',
  NODE: process.execPath,
  OPENER: opener,
  NODE_COMPILE_CACHE: compileCache,
  BASE: base,
  DISK: join(base, 'disk'),
})

/** Runs a script where mounts are its own; null where the host does not allow that. */
function inNamespace(script: string, flags = '-rm'): string | null {
  if (spawnSync('unshare', [flags, 'mount', '-t', 'tmpfs', 'none', join(base, 'disk')]).status !== 0) {
    console.info('nothing can be mounted here')
    return null
  }
  const run = spawnSync('unshare', [flags, 'sh', '-c', script], { encoding: 'utf8', env: environment() })
  return run.stdout + run.stderr
}

describe('a data home on a small file system of its own', () => {
  it.each<[string, string, RegExp]>([
    ['with room', `mount -t tmpfs -o size=64m none $DISK && ${open} $DISK/data $BASE/keys`, /^opened tmpfs\n$/],
    [
      'that is read-only',
      `mount -t tmpfs -o size=64m none $DISK && mkdir -m 700 $DISK/data && mount -o remount,ro $DISK && ${open} $DISK/data $BASE/keys`,
      /^data_home_unusable: .*read-only/,
    ],
    [
      'that turned read-only with data on it',
      `mount -t tmpfs -o size=64m none $DISK && ${open} $DISK/data $BASE/keys >/dev/null && mount -o remount,ro $DISK && ${open} $DISK/data $BASE/keys`,
      /^data_home_unusable: .*read-only/,
    ],
    [
      'without room for one more file',
      `mount -t tmpfs -o size=64m,nr_inodes=2 none $DISK && mkdir -m 700 $DISK/data; ${open} $DISK/data $BASE/keys`,
      /^(storage_full|storage_failed|data_home_unusable): /,
    ],
    [
      'without room for the log of a database that is there',
      `mount -t tmpfs -o size=64m none $DISK && ${open} $DISK/data $BASE/keys >/dev/null
       mount -o remount,nr_inodes=$(find $DISK | wc -l) $DISK; ${open} $DISK/data $BASE/keys`,
      /^(storage_full|storage_failed|data_home_unusable): /,
    ],
    [
      'without a right to execute',
      `mount -t tmpfs -o size=64m,noexec none $DISK && ${open} $DISK/data $BASE/keys`,
      /^opened tmpfs\n$/,
    ],
    [
      'of a container',
      `mount -t tmpfs none $DISK && mkdir $DISK/l $DISK/u $DISK/w $DISK/m && mount -t overlay -o lowerdir=$DISK/l,upperdir=$DISK/u,workdir=$DISK/w none $DISK/m && ${open} $DISK/m/data $BASE/keys`,
      /^opened overlay\n$/,
    ],
  ])('%s', (_what, script, answer) => {
    const said = inNamespace(script)
    if (said !== null) expect(said).toMatch(answer)
  })
})

describe('a second server on the same data', () => {
  it('is refused through another mount, from another process namespace and from another user, and the first goes on', async () => {
    const [data, keys] = [join(base, 'shared'), join(base, 'shared-keys')]
    const first = spawn(process.execPath, ['--input-type=module', '-e', opener, data, keys, 'keep'], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(String((await once(first.stdout, 'data'))[0])).toContain('opened')
    const locked = new RegExp(`^data_home_locked: Another server, process ${first.pid},`)
    const bound = inNamespace(`mount --bind ${data} $DISK && ${open} $DISK ${keys}`)
    if (bound !== null) expect(bound).toMatch(locked)
    const contained = inNamespace(`${open} ${data} ${keys}`, '-rmpf')
    if (contained !== null) expect(contained).toMatch(locked)
    const home = join(base, 'keys-of-nobody')
    const asNobody = spawnSync('setpriv', ['--reuid', '65534', '--clear-groups', 'sh', '-c', `${open} ${data} ${home}`], {
      encoding: 'utf8',
      env: environment(),
    })
    if (process.getuid?.() === 0) expect(asNobody.stdout).toMatch(/^data_home_unusable: /)
    else expect(asNobody.status).not.toBe(0)
    expect(first.exitCode).toBeNull()
    const gone = once(first, 'exit')
    first.kill('SIGKILL')
    await gone
    // The same data in a namespace where process ids begin anew: the id that was noted means nothing there.
    const after = inNamespace(`${open} ${data} ${keys}`, '-rmpf')
    if (after !== null) expect(after).toMatch(/^opened/)
  })

  it('finds a copy of the data to be data of its own', () => {
    cpSync(join(base, 'shared'), join(base, 'copy'), { recursive: true })
    const run = spawnSync('sh', ['-c', `${open} ${join(base, 'copy')} ${join(base, 'shared-keys')}`], {
      encoding: 'utf8',
      env: environment(),
    })
    expect(run.stdout).toMatch(/^opened/)
  })
})
