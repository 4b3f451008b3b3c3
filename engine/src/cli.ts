/** The engine's own command line: `node engine/src/cli.ts preflight|harness`. */
import { runCommandLine } from './cli/index.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
