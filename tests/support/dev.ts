/**
 * `pnpm dev`: the server restarts when its sources change, and the cockpit reloads in place.
 *
 * Vite serves the cockpit on a port of its own and hands `/api` on to the server as if the call came
 * from the server's own page. It is a tool for developing; the product never serves through it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const port = process.env['HARNESS_WEB_PORT'] ?? '5173'
const children: ChildProcess[] = []

function run(directory: string, program: string, args: readonly string[]): void {
  const bin = path.join(root, directory, 'node_modules/.bin')
  const env = { ...process.env, BRIDLEWISE_DEV_SERVER: `http://127.0.0.1:${port}`, PATH: `${bin}:${process.env['PATH'] ?? ''}` }
  const child = spawn(program, args, { cwd: path.join(root, directory), stdio: 'inherit', env })
  child.once('exit', (code) => stop(code ?? 1))
  children.push(child)
}

function stop(code: number): void {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM')
  process.exitCode = code
}

process.once('SIGINT', () => stop(0))
process.once('SIGTERM', () => stop(0))
spawn(process.execPath, ['guardian/build.ts'], { cwd: root, stdio: 'inherit' }).once('exit', () => {
  run('.', process.execPath, ['--watch-path=server', '--watch-path=engine/src', '--watch-path=shared', 'server/main.js'])
  run('cockpit', 'vite', ['--port', '5174'])
  console.log('cockpit with reload: http://127.0.0.1:5174')
})
