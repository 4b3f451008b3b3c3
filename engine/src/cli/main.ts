/** Picks the command, and turns what comes of it into an exit code. */
import { type Console, exits } from './console.ts'
import { harness } from './harness.ts'
import { preflight } from './preflight.ts'

const usage = `Usage: node engine/src/cli.ts <command>

  preflight         print the integrity receipt as JSON; a summary goes to standard error
  harness [--json]  run the scripted scenarios through the turn

Exit codes: 0 done, 1 a scenario failed, 2 not understood, 70 something broke.
`

/** Contract: gives the exit code, and never rejects. */
export async function runCommandLine(args: readonly string[], console: Console): Promise<number> {
  const [command, ...options] = args
  try {
    if (command === 'preflight' && options.length === 0) return await preflight(console)
    if (command === 'harness' && options.every((option) => option === '--json')) {
      return await harness(console, options.length > 0 ? 'json' : 'text')
    }
  } catch (fault) {
    console.err(`${fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)}\n`)
    return exits.broke
  }
  if (command === 'help' || command === '--help') {
    console.out(usage)
    return exits.fine
  }
  console.err(usage)
  return exits.usage
}
