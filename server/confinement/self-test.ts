/** Before the first command: one that must fail to read outside and must manage to write inside. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProcessOutcome } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ScratchRoom } from './scratch.ts'

/** `$1` is readable for this user and lies outside the project; `$2` lies in it. */
const script = 'if cat "$1" 2>/dev/null; then echo "read outside"; exit 1; fi; echo kept > "$2"'

/** Refuses: guardian_unusable, when confinement lets through what it must not, or stops what it must allow. */
export async function testConfinement(
  room: ScratchRoom,
  run: (root: string, argv: readonly string[]) => Promise<ProcessOutcome>,
): Promise<Result<{ notCovered: readonly string[] }>> {
  const scratch = room.make()
  try {
    const project = join(scratch.directory, 'project')
    const secret = join(scratch.directory, 'secret')
    const inside = join(project, 'inside')
    await mkdir(project)
    await writeFile(secret, 'a canary')
    const outcome = await run(project, ['/bin/sh', '-c', script, 'sh', secret, inside])
    if (outcome.kind === 'not_started') return { ok: false, refusal: outcome.refusal }
    if (outcome.kind !== 'exited') return refuse('guardian_unusable', { problem: 'its self-test did not end in time' })
    if (outcome.output.includes('read outside'))
      return refuse('guardian_unusable', { problem: 'its self-test could read outside' })
    const written = await readFile(inside, 'utf8').catch(() => null)
    if (written !== 'kept\n') return refuse('guardian_unusable', { problem: 'its self-test could not write inside' })
    return ok({ notCovered: outcome.receipt.notCovered })
  } finally {
    await scratch.remove()
  }
}
