/** A real Secret Service, as a desktop has one, in a session bus of its own. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const programs = ['dbus-run-session', 'gnome-keyring-daemon']

/** Whether there is one to run, after the distribution's package was tried as the browser's is. */
export function findKeyring(): boolean {
  if (isThere()) return true
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const install = ['install', '-y', '--no-install-recommends', 'dbus', 'gnome-keyring']
  try {
    execFileSync('apt-get', install, { stdio: 'ignore' })
  } catch {
    // The lists of packages may be missing or old.
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    spawnSync('apt-get', install, { stdio: 'ignore' })
  }
  return isThere()
}

/** Run a shell command in a session with an unlocked keyring that is kept below `home`. */
export function runWithKeyring(home: string, command: string, environment: Readonly<Record<string, string>>) {
  const session = `printf keyring | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; ${command}`
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, XDG_RUNTIME_DIR: home, ...environment }
  const { status, stdout, stderr } = spawnSync('dbus-run-session', ['--', 'sh', '-c', session], { env, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

function isThere(): boolean {
  const directories = (process.env['PATH'] ?? '').split(':')
  return programs.every((name) => directories.some((directory) => existsSync(path.join(directory, name))))
}
