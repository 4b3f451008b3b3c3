/** The environment, read once into one frozen, typed value. A project's `.env` is never read. */
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { type ProxyNames, readProxyNames } from './network/index.ts'
import manifest from './package.json' with { type: 'json' }

export interface Config {
  /** What to bind; one of `loopbackHosts`. */
  readonly host: LoopbackHost
  /** 0 lets the system choose a free one. */
  readonly port: number
  readonly homes: {
    readonly data: string
    readonly keys: string
    /** Where copies of the sample project are put: beside the data home, never inside it. */
    readonly demo: string
  }
  /** A file whose first line opens the key home, for a start with nobody at the screen; null when it is typed. */
  readonly passphraseFile: string | null
  /** Play recorded words instead of asking a model; marked in every record. */
  readonly fixtures: boolean
  /** Proxies as the environment names them, not read yet; null when it names nothing. It may hold a password. */
  readonly proxy: ProxyNames | null
  /** A bundle of authorities that Node was told to read; the server asks Node what came of it. */
  readonly authoritiesFile: string | null
  readonly version: string
}

export type LoopbackHost = (typeof loopbackHosts)[number]

/** Names that cannot mean another machine. Compared as text: nothing is resolved or parsed. */
export const loopbackHosts = ['127.0.0.1', '::1', 'localhost'] as const

export interface Variable {
  readonly name: string
  readonly default: string
  readonly meaning: string
}

/** Every variable that the server reads. The reference page is printed from this table. */
export const variables: readonly Variable[] = [
  {
    name: 'HARNESS_WEB_DATA',
    default: '~/.local/share/bridlewise',
    meaning: 'Data home: the database, its lock and the setup code. Absolute path.',
  },
  {
    name: 'HARNESS_WEB_KEYS',
    default: '~/.config/bridlewise/keys',
    meaning: 'Key home: what unseals the data. Absolute path, outside the data home.',
  },
  {
    name: 'HARNESS_WEB_HOST',
    default: '127.0.0.1',
    meaning: `Name to bind: ${loopbackHosts.join(', ')}. Nothing else is accepted.`,
  },
  { name: 'HARNESS_WEB_PORT', default: '5173', meaning: 'Port, 0 to 65535. 0 takes a free one and prints it.' },
  {
    name: 'HARNESS_WEB_PASSPHRASE_FILE',
    default: 'unset',
    meaning:
      'File with the passphrase of a protected key home, readable by you alone, or /dev/stdin or /dev/fd/3. Its first line counts. Absolute path.',
  },
  {
    name: 'HARNESS_WEB_LLM_FIXTURES',
    default: 'unset',
    meaning: '1 plays recorded words instead of asking a model. Every run says so. No other value is accepted.',
  },
  {
    name: 'HTTPS_PROXY',
    default: 'unset',
    meaning:
      'Proxy for endpoints with TLS: http://host:port or https://host:port, with user:password@ before the host if it wants them. https_proxy goes before it. It goes before what an administrator set under Network. This machine is never reached through it.',
  },
  { name: 'HTTP_PROXY', default: 'unset', meaning: 'The same for endpoints without TLS, on private networks.' },
  { name: 'ALL_PROXY', default: 'unset', meaning: 'The proxy where the two above name none.' },
  {
    name: 'NO_PROXY',
    default: 'unset',
    meaning:
      'Hosts that are reached without a proxy, wherever it was set: names and what lies below them, addresses, networks such as 10.0.0.0/8, * for all; apart by commas.',
  },
  {
    name: 'NODE_EXTRA_CA_CERTS',
    default: 'unset',
    meaning:
      'A PEM bundle of authorities that are trusted beside those of Node, which reads it at the start. The posture says how many were read.',
  },
]

/**
 * Read the configuration.
 *
 * Contract: reads `environment` and nothing else; touches no file.
 * Refuses: config_invalid, naming the variable and what would be accepted.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Result<Config> {
  const host = read(environment, 'HARNESS_WEB_HOST')
  if (!isLoopbackHost(host)) return bad('HARNESS_WEB_HOST', host, `only ${loopbackHosts.join(', ')} can be bound`)

  const port = read(environment, 'HARNESS_WEB_PORT')
  if (!/^(0|[1-9][0-9]{0,4})$/.test(port) || Number(port) > 65_535) {
    return bad('HARNESS_WEB_PORT', port, 'a port is a whole number from 0 to 65535')
  }

  const data = readHome(environment, 'HARNESS_WEB_DATA')
  if (!data.ok) return data
  const keys = readHome(environment, 'HARNESS_WEB_KEYS')
  if (!keys.ok) return keys
  const demo = `${data.value}-demo`
  if (overlap(data.value, keys.value) || overlap(demo, keys.value)) {
    return bad('HARNESS_WEB_KEYS', keys.value, 'the key home and the data home must lie apart')
  }

  const passphraseFile = environment['HARNESS_WEB_PASSPHRASE_FILE'] || null
  if (passphraseFile !== null && !isAbsolute(passphraseFile)) {
    return bad('HARNESS_WEB_PASSPHRASE_FILE', passphraseFile, 'it must be an absolute path')
  }

  const fixtures = environment['HARNESS_WEB_LLM_FIXTURES'] ?? ''
  if (fixtures !== '' && fixtures !== '1') return bad('HARNESS_WEB_LLM_FIXTURES', fixtures, 'it is 1 or not set')

  return ok(
    Object.freeze({
      host,
      port: Number(port),
      homes: Object.freeze({ data: data.value, keys: keys.value, demo }),
      passphraseFile,
      fixtures: fixtures === '1',
      proxy: readProxyNames(environment),
      authoritiesFile: environment['NODE_EXTRA_CA_CERTS'] || null,
      version: manifest.version,
    }),
  )
}

/** Whether one path is the other or lies inside it. */
export function overlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one)
}

function isWithin(outer: string, inner: string): boolean {
  const way = relative(outer, inner)
  return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
}

function isLoopbackHost(host: string): host is LoopbackHost {
  return (loopbackHosts as readonly string[]).includes(host)
}

/** An empty variable counts as unset: that is how shells and service files clear one. */
function read(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  const given = environment[name]
  return given === undefined || given === '' ? (variables.find((variable) => variable.name === name)?.default ?? '') : given
}

/** Bytes; below what systems allow, since names of files come behind it. */
const longestPath = 3_072

function readHome(environment: Readonly<Record<string, string | undefined>>, name: string): Result<string> {
  const given = read(environment, name)
  const path = given.startsWith('~/') ? join(environment['HOME'] || homedir(), given.slice(2)) : given
  if (!isAbsolute(path)) return bad(name, given, 'it must be an absolute path')
  if (resolve(path) === '/') return bad(name, given, 'it cannot be the root directory')
  if (/\p{Cc}/u.test(path)) return bad(name, given, 'it contains a control character')
  if (Buffer.byteLength(path) > longestPath) return bad(name, given, `it is longer than ${longestPath} bytes`)
  return ok(resolve(path))
}

/** What a value looks like in a refusal is bounded, and one line of plain characters. */
function bad(name: string, value: string, problem: string) {
  const plain = value.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
  return refuse('config_invalid', { name, value: plain.length < value.length ? `${plain}…` : plain, problem })
}
