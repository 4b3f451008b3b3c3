/** `start`: serve until a signal, and stop in order. */
import { type Config, type RunningServer, readConfig, startServer } from '../index.ts'
import { findMeddlers } from '../posture/index.ts'
import { endOnCrash } from './crash.ts'
import { keepMemoryIn } from './memory.ts'
import { printRefusal } from './print.ts'
import { readUnlockFile } from './unlock.ts'

/** Milliseconds after which a stop that hangs is ended anyway. */
const stopMs = 5_000

/** Exit code 0 after an orderly stop, 1 when the server could not start or did not stop in time, 70 after a crash. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<number> {
  process.umask(0o077)
  endOnCrash()
  keepMemoryIn()
  warnOfMeddlers(environment)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const unlock = readUnlockFile(config.value)
  if (!unlock.ok) return printRefusal(unlock.refusal)
  const signalled = nextSignal()
  const started = await startServer(config.value, unlock.value === null ? {} : { unlock: unlock.value })
  if (!started.ok) return printRefusal(started.refusal)
  const server = started.value
  const lines = [`Bridlewise ${config.value.version} serves this machine at ${server.url}`]
  if (config.value.fixtures) lines.push('Recorded words are played instead of a model (HARNESS_WEB_LLM_FIXTURES=1).')
  if (server.isLocked()) {
    print([...lines, 'It is locked. Open the address and enter the passphrase of the key home. Stop with Ctrl-C.'])
    void server.opened.then(() => print(['It is unlocked.', ...nextSteps(server, config.value)]))
  } else {
    print([...lines, ...nextSteps(server, config.value)])
  }

  await signalled
  const late = setTimeout(() => {
    process.stderr.write(`The server did not stop within ${stopMs / 1000} s and was ended.\n`)
    process.exit(1)
  }, stopMs).unref()
  await server.close()
  clearTimeout(late)
  return 0
}

function nextSteps(server: RunningServer, { homes }: Config): string[] {
  const code = server.setupCode()
  if (code === null) return ['Open it and sign in. Stop with Ctrl-C.']
  return [
    `Setup code: ${code}   (also in ${homes.data}/setup-code)`,
    'Next: open the address, enter the code, and choose a name and a password. Stop with Ctrl-C.',
  ]
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Nobody looks at the posture before the first sign-in, and by then what they load is loaded. */
function warnOfMeddlers(environment: NodeJS.ProcessEnv): void {
  for (const { name, effect } of findMeddlers(environment)) process.stderr.write(`Warning: ${name} is set; it ${effect}.\n`)
}

/** A signal during the start counts as well; a second one ends the process at once, as it would without us. */
function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
}
