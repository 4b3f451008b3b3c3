/** OUT-14: from a start through a whole recorded turn to idling, nothing leaves this machine and no name is looked up. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const base = mkdtempSync(path.join(tmpdir(), 'bridlewise-quiet-'))
const loopbackUp = path.join(base, 'loopback-up')

beforeAll(() => execFileSync('cc', ['-O1', '-o', loopbackUp, path.join(root, 'tests/hostile/probes/loopback-up.c')]))
afterAll(() => rmSync(base, { recursive: true, force: true }))

interface Attempts {
  readonly code: number | null
  /** Packets for which there was no way out, be they TCP or UDP. */
  readonly noRoute: number
  /** Datagrams, on loopback too: a question to a name server of this machine. */
  readonly datagrams: number
  /** Packets that left by an interface other than loopback. */
  readonly sent: number
}

/**
 * Run commands in a network of their own that has loopback and no way out, and ask the kernel what was tried.
 *
 * It counts a packet that finds no route, so an attempt is seen though nothing can leave.
 */
function runAlone(script: string): Attempts {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const told = `cd ${root}; ${script}; code=$?; echo; echo "Exit: $code"; cat /proc/net/snmp /proc/net/snmp6 /proc/net/dev`
  const { stdout, stderr } = spawnSync('unshare', [...user, '--net', loopbackUp, 'sh', '-c', told], {
    encoding: 'utf8',
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: base,
      HARNESS_WEB_DATA: path.join(base, 'data'),
      HARNESS_WEB_KEYS: path.join(base, 'keys'),
      HARNESS_WEB_PORT: '0',
    },
  })
  const exit = /^Exit: (\d+)$/m.exec(stdout)
  if (!exit) throw new Error(`nothing was measured: ${stderr}`)
  const six = (name: string) => Number(new RegExp(`^${name}\\s+(\\d+)$`, 'm').exec(stdout)?.[1] ?? 0)
  const others = [...stdout.matchAll(/^\s*(?!lo:)(\w+):((?:\s+\d+){16})$/gm)].map((match) =>
    Number(match[2]?.trim().split(/\s+/)[9]),
  )
  return {
    code: Number(exit[1]),
    noRoute: counterIn(stdout, 'Ip', 'OutNoRoutes') + six('Ip6OutNoRoutes'),
    datagrams: counterIn(stdout, 'Udp', 'OutDatagrams') + six('Udp6OutDatagrams'),
    sent: others.reduce((sum, packets) => sum + packets, 0),
  }
}

/** Two lines: names, then numbers. */
function counterIn(text: string, protocol: string, name: string): number {
  const [names = [], numbers = []] = text
    .split('\n')
    .filter((line) => line.startsWith(`${protocol}: `))
    .map((line) => line.split(' '))
  return Number(numbers[names.indexOf(name)])
}

describe('what the kernel counts', () => {
  const tries = (code: string) => `node -e "${code}" >/dev/null 2>&1`

  it.each([
    ['a connection to elsewhere', tries("net.connect(443, '192.0.2.1').on('error', () => {})")],
    ['a datagram to elsewhere', tries("dgram.createSocket('udp4').send('x', 53, '192.0.2.1', () => process.exit())")],
    ['a lookup of a name', tries("dns.resolve('example.test', () => process.exit())")],
  ])('shows %s', (_what, script) => {
    const { noRoute, datagrams, sent } = runAlone(script)
    expect(noRoute + datagrams + sent).toBeGreaterThan(0)
  })

  it('is nothing of a start, a sign-up, a recorded turn with a command in it, and an idle server', () => {
    const demo = 'node server/cli.ts demo >/dev/null'
    const out = path.join(base, 'out')
    const ready = `node server/main.js >${out} & server=$!; until grep -q http: ${out} || ! kill -0 $server; do sleep 0.1; done`
    const idle = `${ready}; sleep 3; kill -TERM $server; wait $server`
    expect(runAlone(`${demo} && { ${idle}; }`)).toEqual({ code: 0, noRoute: 0, datagrams: 0, sent: 0 })
  })
})
