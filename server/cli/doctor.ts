/** `doctor`: measure what a start needs and what the data is worth, and say what to do about it. */
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { guardianBinary } from '@bridlewise/guardian'
import type { PostureLine } from '@bridlewise/shared'
import { cockpitHome } from '../cockpit.ts'
import { createConfinement } from '../confinement/index.ts'
import { readConfig } from '../index.ts'
import { examineHost } from '../posture/index.ts'
import { printRefusal } from './print.ts'
import { readUnlock } from './unlock.ts'

/** Exit code 0 when nothing is wrong, 1 when a line says `off` or the configuration is refused, 2 for other words. */
export async function doctor(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<number> {
  if (words.some((word) => word !== '--json')) return 2
  process.umask(0o077)
  const config = readConfig(environment)
  if (!config.ok) return printRefusal(config.refusal)
  const { homes } = config.value
  const unlock = await readUnlock(config.value)
  // A locked key home is something to report, not a reason to report nothing.
  if (!unlock.ok && unlock.refusal.code !== 'key_home_locked') return printRefusal(unlock.refusal)
  const confinement = createConfinement({
    homes: [homes.data, homes.keys],
    userHome: homedir(),
    scratch: join(tmpdir(), `bridlewise-${process.getuid?.() ?? 0}`),
    toolchains: [],
    binary: guardianBinary,
  })
  try {
    const lines = await examineHost({ homes, confinement, cockpitHome, unlock: unlock.ok ? unlock.value : {} })
    const healthy = lines.every(({ state }) => state !== 'off')
    process.stdout.write(words.length > 0 ? `${JSON.stringify({ healthy, lines })}\n` : lines.map(describe).join(''))
    return healthy ? 0 : 1
  } finally {
    await confinement.close()
  }
}

const marks = { enforced: 'good', partly: 'partly', off: 'wrong' } as const

function describe({ state, title, evidence, remedy }: PostureLine): string {
  const advice = remedy === null ? '' : `        What to do: ${remedy}\n`
  return `${marks[state].padEnd(8)}${title}\n        ${evidence}\n${advice}`
}
