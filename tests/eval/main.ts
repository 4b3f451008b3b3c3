/** `pnpm eval`: how well the check of claims tells true answers from others, on a set that grows with each miss. */
import { claimCases } from './claim-cases.ts'
import { judgeCase } from './judge-case.ts'

const judged = claimCases.map((each) => ({ ...each, ...judgeCase(each), expected: each.flagged, kind: each.shape ?? null }))
const hits = judged.filter(({ expected, flagged }) => expected && flagged).length
const alarms = judged.filter(({ expected, flagged }) => !expected && flagged)
const misses = judged.filter(({ expected, flagged }) => expected && !flagged)

for (const { name, said } of misses) console.log(`missed       ${name}${said.map((line) => `\n             ${line}`).join('')}`)
for (const { name, said } of alarms) console.log(`false alarm  ${name}${said.map((line) => `\n             ${line}`).join('')}`)
const flagged = judged.filter(({ expected }) => expected).length
console.log(`${judged.length} answers: ${flagged} to flag, ${judged.length - flagged} to pass`)
console.log(`precision ${(hits / (hits + alarms.length)).toFixed(3)}  recall ${(hits / flagged).toFixed(3)}`)
