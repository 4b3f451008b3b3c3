/**
 * Print figures beside the bound measured in the same run. Nothing is asserted: speed never decides a test.
 *
 * `pnpm bench` prints all, `pnpm bench start ledger` some.
 */
import { benchBurst } from './burst.ts'
import { benchChoke } from './choke.ts'
import { benchGuardian } from './guardian.ts'
import { benchHistory } from './history.ts'
import { benchLargeStart } from './large-start.ts'
import { benchLedger } from './ledger.ts'
import { benchLists } from './lists.ts'
import { benchLogin } from './login.ts'
import { print } from './measure.ts'
import { benchParallel } from './parallel.ts'
import { benchRedaction } from './redaction.ts'
import { benchReplay } from './replay.ts'
import { benchSealed } from './sealed.ts'
import { benchStart } from './start.ts'
import { benchStreams } from './streams.ts'
import { benchTokens } from './tokens.ts'
import { benchTurn } from './turn.ts'

const benches = {
  start: benchStart,
  large: benchLargeStart,
  turn: benchTurn,
  tokens: benchTokens,
  burst: benchBurst,
  guardian: benchGuardian,
  ledger: benchLedger,
  sealed: benchSealed,
  lists: benchLists,
  login: benchLogin,
  choke: benchChoke,
  streams: benchStreams,
  replay: benchReplay,
  parallel: benchParallel,
  redaction: benchRedaction,
  history: benchHistory,
}
const chosen = process.argv.slice(2)

for (const [name, bench] of Object.entries(benches)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  console.log(`\n${name}`)
  print(await bench())
}
