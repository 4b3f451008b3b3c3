/** `pnpm eval`: how well the check of claims tells true answers from others, for each set apart. */
import { blindCases } from './blind-cases.ts'
import { type ClaimCase, claimCases } from './claim-cases.ts'
import { heldOutCases } from './held-out-cases.ts'
import { judgeCase } from './judge-case.ts'

measure('the set that grows with each miss', claimCases)
measure('the set written without sight of the patterns', blindCases)
measure('the set no pattern is changed for', heldOutCases)

function measure(title: string, cases: readonly ClaimCase[]): void {
  const judged = cases.map((each) => ({ ...each, ...judgeCase(each), expected: each.flagged }))
  const hits = judged.filter(({ expected, flagged }) => expected && flagged).length
  const alarms = judged.filter(({ expected, flagged }) => !expected && flagged)
  const misses = judged.filter(({ expected, flagged }) => expected && !flagged)
  const toFlag = judged.filter(({ expected }) => expected).length

  console.log(`${title}: ${judged.length} answers, ${toFlag} to flag, ${judged.length - toFlag} to pass`)
  for (const { name, said } of misses) console.log(`missed       ${name}${said.map((line) => `\n             ${line}`).join('')}`)
  for (const { name, said } of alarms) console.log(`false alarm  ${name}${said.map((line) => `\n             ${line}`).join('')}`)
  console.log(`precision ${(hits / (hits + alarms.length)).toFixed(3)}  recall ${(hits / toFlag).toFixed(3)}\n`)
}
