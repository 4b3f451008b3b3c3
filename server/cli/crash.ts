/** The last words of a process that broke: one line, without anything that the error carries, which may be a secret. */
import { writeSync } from 'node:fs'
import { makeRefusal } from '@bridlewise/shared/refusals'

/** EX_SOFTWARE of sysexits.h; tells a crash from a start that was refused. */
const crashCode = 70

/**
 * End the process at an error that nobody caught, be it thrown or the reason of a rejected promise.
 *
 * Contract: says one line and ends at once. Nothing is stopped in order, because nobody knows what still
 * works; the next start finds what it would find after a kill.
 */
export function endOnCrash(): void {
  process.on('uncaughtException', (cause) => {
    const { message, code } = makeRefusal('server_crashed', { what: describeCrash(cause) })
    try {
      writeSync(process.stderr.fd, `${message} [${code}]\n`)
    } finally {
      process.exit(crashCode)
    }
  })
}

/** Kind, code and place: `TypeError in server/runs/execute.ts:61`. Contract: no word of its message. */
export function describeCrash(cause: unknown): string {
  if (!(cause instanceof Error)) return `a thrown ${typeof cause}`
  const kind = /^[A-Za-z]{1,40}$/.exec(cause.name)?.[0] ?? 'Error'
  const code = 'code' in cause ? /^[A-Z0-9_]{1,40}$/.exec(String(cause.code))?.[0] : undefined
  const place = findPlace(cause)
  return [kind, ...(code ? [code] : []), ...(place ? [`in ${place}`] : [])].join(' ')
}

/** The innermost line of ours in the stack; the message, which stands above the frames, is cut off first. */
function findPlace({ name, message, stack = '' }: Error): string | null {
  const header = message === '' ? name : `${name}: ${message}`
  const frames = stack.startsWith(header) ? stack.slice(header.length) : ''
  return /^ {4}at .*?\/((?:server|engine|shared|guardian)\/[\w./-]+\.ts:\d+):\d+\)?$/m.exec(frames)?.[1] ?? null
}
