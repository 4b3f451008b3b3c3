/** git, asked and never trusted: a project's configuration must not make it run anything or leave the project. */
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { ToolContext, ToolResult } from './definition.ts'
import { killed, refused, stopped, timedOut } from './results.ts'

const deadlineMs = 60_000
const outputLimit = 4 * 1024 * 1024

/**
 * Before every subcommand. No monitor, hook or lock; no bare repository found by accident; path names
 * as they are. A clean filter of the project would still be run, which is why git runs confined too.
 */
const guards = [
  '--no-pager',
  '--no-optional-locks',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit', 'core.quotePath=false'].flatMap(
    (setting) => ['-c', setting],
  ),
]

export type GitAnswer =
  | { readonly kind: 'answered'; readonly stdout: string }
  /** The result to give instead. */
  | { readonly kind: 'ended'; readonly result: ToolResult }

/** Ask git something, with read access. `args` begin with the subcommand. */
export async function askGit({ launch }: ToolContext, args: readonly string[], signal: AbortSignal): Promise<GitAnswer> {
  const argv = ['git', ...guards, ...args]
  const outcome = await launch({ argv, access: 'read', deadlineMs, outputLimit, live: 'hidden' }, signal)
  switch (outcome.kind) {
    case 'not_started':
      return { kind: 'ended', result: stopped('not_started', outcome.refusal) }
    case 'cancelled':
      return { kind: 'ended', result: killed('read') }
    case 'timed_out':
      return { kind: 'ended', result: timedOut('git', deadlineMs) }
    case 'exited': {
      const problem = outcome.exitCode === 0 ? findCut(outcome.cut) : outcome.output.trim().slice(0, 500)
      if (problem === null) return { kind: 'answered', stdout: outcome.stdout }
      return { kind: 'ended', result: refused(makeRefusal('git_failed', { exitCode: outcome.exitCode ?? 'unknown', problem })) }
    }
  }
}

/** Half an answer is not read: what was left out of the middle would be taken for absent. */
function findCut(cut: string | null): string | null {
  return cut === null ? null : `its answer is larger than ${outputLimit} bytes. Ask for one path.`
}
