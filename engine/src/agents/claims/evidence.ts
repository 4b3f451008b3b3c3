/** What the record of a turn shows, as facts that a claim can rest on. */
import type { Beat, BeatOf } from '@bridlewise/shared/wire'
import { type CheckKind, classifyCommand } from './commands.ts'
import { type Counts, readCounts } from './counts.ts'

/** A command that ran to its end. */
export interface CommandFact {
  readonly kind: 'command'
  readonly beatId: string
  readonly command: string
  /** What it checks; empty for a command that checks nothing. */
  readonly checks: readonly CheckKind[]
  readonly exitCode: number
  readonly counts: Counts | null
  /** It ended with 0 and reports no failure: a pipe may hide the one or the other. */
  readonly green: boolean
}

/** A file that was changed. */
export interface EditFact {
  readonly kind: 'edit'
  readonly beatId: string
  readonly path: string
}

/** Any other call that ran to its end. */
export interface CallFact {
  readonly kind: 'call'
  readonly beatId: string
  readonly tool: string
}

export type Fact = CommandFact | EditFact | CallFact

export interface Evidence {
  /** In the order in which they happened. */
  readonly facts: readonly Fact[]
  /** Names of the tools that were called, whatever became of it. */
  readonly called: ReadonlySet<string>
}

export interface EvidenceLog extends Evidence {
  /** Take note of a beat that the ledger holds. */
  add(beat: Beat): void
}

/** An empty log for one turn. Contract: beats are added in the order of the ledger. */
export function startEvidence(): EvidenceLog {
  const facts: Fact[] = []
  const called = new Set<string>()
  const changing = new Set<string | null>()
  return {
    facts,
    called,
    add(beat) {
      if (beat.kind === 'call' || beat.kind === 'blocked') called.add(beat.payload.tool)
      else if (beat.kind === 'effect' && beat.payload.effect === 'file') {
        changing.add(beat.payload.callId)
        facts.push({ kind: 'edit', beatId: beat.id, path: beat.payload.target })
      } else if (beat.kind === 'result' && beat.payload.status === 'done') {
        const fact = factOf(beat)
        // That a call changed a file is known by its effects; its result is no look at anything.
        if (fact.kind === 'command' || !changing.has(beat.payload.callId)) facts.push(fact)
      }
    },
  }
}

function factOf({ id: beatId, payload: { tool, details } }: BeatOf<'result'>): Fact {
  if (details.kind !== 'terminal' || details.exitCode === null) return { kind: 'call', beatId, tool }
  const { command, output, exitCode } = details
  const counts = readCounts(output)
  const green = exitCode === 0 && (counts?.failed ?? 0) === 0
  return { kind: 'command', beatId, command, checks: classifyCommand(command), exitCode, counts, green }
}

/** The last command that checked something, of any of these kinds. */
export function lastCheck({ facts }: Evidence, kinds: readonly CheckKind[]): CommandFact | null {
  return facts.findLast((fact): fact is CommandFact => fact.kind === 'command' && overlap(fact.checks, kinds)) ?? null
}

/** What was changed after a fact. */
export function editsAfter({ facts }: Evidence, fact: Fact): readonly EditFact[] {
  return facts.slice(facts.indexOf(fact) + 1).filter((later): later is EditFact => later.kind === 'edit')
}

function overlap(some: readonly CheckKind[], others: readonly CheckKind[]): boolean {
  return some.some((each) => others.includes(each))
}
