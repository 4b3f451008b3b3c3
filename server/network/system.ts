/**
 * Proxies as the system names them, where that can be known without starting a program: in
 * `/etc/environment`. Desktops keep theirs where only their own tools read them.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { type ProxyNames, readProxyNames } from './way.ts'

export const systemFile = '/etc/environment'

/** Bytes; what stands behind them is not read. */
const mostBytes = 65_536

/** Contract: a file that is not there or cannot be read names nothing. Lines are `NAME=value`, in quotes or not. */
export function readSystemNames(path: string): ProxyNames | null {
  const found: Record<string, string> = {}
  for (const line of readStart(path).split('\n')) {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]{1,40})=(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) found[name] = value.trim().replace(/^(["'])(.*)\1$/, '$2')
  }
  return readProxyNames(found)
}

function readStart(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(mostBytes)
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, mostBytes, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}
