/** Set up for every test file: no provider key in the environment, no socket off this machine. */
import net from 'node:net'

for (const name of Object.keys(process.env)) {
  if (/(_API_KEY|_TOKEN|_SECRET|_BASE_URL)$/.test(name) || name.startsWith('HARNESS_WEB_')) delete process.env[name]
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost', undefined])
const connect = net.Socket.prototype.connect

net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0]
  const host = typeof options === 'object' && options !== null ? (options as { host?: string }).host : args[1]
  if (typeof host === 'string' && !loopback.has(host)) throw new Error(`a test tried to reach ${host}`)
  return (connect as (...all: unknown[]) => net.Socket).apply(this, args)
} as typeof net.Socket.prototype.connect
