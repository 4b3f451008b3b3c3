/** A claim held against the record: what it rests on, or what is missing. */
import type { ClaimVerdict } from '@bridlewise/shared/wire'
import type { Claim } from './claim.ts'
import { checkKinds } from './commands.ts'
import { describeCounts, describeEdits, describeGreen, describeRed } from './describe.ts'
import { type CommandFact, type EditFact, type Evidence, editsAfter, lastCheck } from './evidence.ts'

export interface Judgement {
  readonly verdict: ClaimVerdict
  /** A few words for the person. */
  readonly reason: string
  /** The beats that it rests on, or that speak against it. */
  readonly evidence: readonly string[]
}

/** The words of the calls of earlier turns, as they were made. */
export type EarlierCalls = readonly string[]

export interface Record {
  readonly evidence: Evidence
  readonly earlier: EarlierCalls
}

/** Judge one claim. Contract: `supported` always names at least one beat of this turn. */
export function judgeClaim(record: Record, claim: Claim): Judgement {
  switch (claim.kind) {
    case 'check':
      return judgeCheck(
        record,
        lastCheck(record.evidence, claim.checks),
        claim.checks.length === checkKinds.length ? 'checked' : claim.checks.join(' or '),
      )
    case 'count':
      return judgeCount(record, claim)
    case 'change':
      return judgeChange(record, claim.paths)
    case 'run':
      return claim.git && claim.commands.length === 0 ? judgeGit(record, claim.git) : judgeRun(record, claim.commands)
    case 'look':
      return judgeLook(record, claim.verified)
    case 'done':
      return judgeDone(record)
  }
}

function judgeCheck(record: Record, check: CommandFact | null, name: string): Judgement {
  if (!check)
    return missing(
      record,
      name === 'checked' ? 'No check ran in this turn.' : `No ${name} command ran in this turn.`,
      isCheckCall,
    )
  if (!check.green) return { verdict: 'contradicted', reason: describeRed(check), evidence: [check.beatId] }
  return recheck(record, check, describeGreen(check))
}

function judgeCount(record: Record, { passed, failed, total }: Extract<Claim, { kind: 'count' }>): Judgement {
  const check = lastCheck(record.evidence, ['test'])
  if (!check) return missing(record, 'No test command ran in this turn.', isCheckCall)
  const { counts } = check
  const before = check.green && (failed ?? 0) > 0 ? findRun(record.evidence, failed) : null
  // Failures of an earlier run, told after a green one, are its story and no claim about how it stands.
  if (before) return { verdict: 'supported', reason: `Recorded: ${describeCounts(before)}.`, evidence: [before.beatId] }
  if (!counts) {
    return {
      verdict: 'unsupported',
      reason: 'The output of the tests gives no numbers that can be read.',
      evidence: [check.beatId],
    }
  }
  const fits =
    (passed === null || passed === counts.passed) &&
    (failed === null || failed === counts.failed) &&
    (total === null || total === counts.total)
  if (!fits) return { verdict: 'contradicted', reason: `Recorded: ${describeCounts(check)}.`, evidence: [check.beatId] }
  return recheck(record, check, `Recorded: ${describeCounts(check)}.`)
}

function findRun({ facts }: Evidence, failed: number | null): CommandFact | null {
  return facts.findLast((fact): fact is CommandFact => fact.kind === 'command' && fact.counts?.failed === failed) ?? null
}

/** A check that holds for what stood when it ran. */
function recheck({ evidence }: Record, check: CommandFact, reason: string): Judgement {
  const edits = editsAfter(evidence, check)
  if (edits.length === 0) return { verdict: 'supported', reason, evidence: [check.beatId] }
  return {
    verdict: 'not_rechecked',
    reason: `Not re-checked: ${describeEdits(edits)} changed after that check.`,
    evidence: [check.beatId, ...edits.map(({ beatId }) => beatId)],
  }
}

function judgeChange(record: Record, paths: readonly string[]): Judgement {
  const { facts } = record.evidence
  const edits = facts.filter((fact): fact is EditFact => fact.kind === 'edit')
  const commands = facts.filter((fact): fact is CommandFact => fact.kind === 'command')
  if (paths.length === 0) {
    const evidence = [...edits, ...commands].map(({ beatId }) => beatId)
    return evidence.length > 0
      ? supported(edits.length > 0 ? `${describeEdits(edits)} changed.` : 'A command ran that can have done it.', evidence)
      : missing(record, 'Nothing was changed in this turn.', isAnyCall)
  }
  const proofs = paths.map((path) => ({
    path,
    edits: edits.filter((edit) => isSameFile(edit.path, path)),
    commands: commands.filter(({ command }) => command.includes(path)),
  }))
  const absent = proofs.filter((proof) => proof.edits.length + proof.commands.length === 0).map(({ path }) => path)
  if (absent.length > 0) {
    return missing(record, `No change of ${absent.join(', ')} is recorded in this turn.`, (call) =>
      absent.every((path) => call.includes(path)),
    )
  }
  const beats = proofs.flatMap((proof) => [...proof.edits, ...proof.commands].map(({ beatId }) => beatId))
  return supported(`The change of ${paths.join(', ')} is recorded.`, beats)
}

function judgeRun(record: Record, commands: readonly string[]): Judgement {
  const ran = record.evidence.facts.filter((fact): fact is CommandFact => fact.kind === 'command')
  const asked = commands.filter((command) => /[\s/]|^(?:npm|pnpm|make|cargo|go|tsc|pytest|vitest|jest)$/.test(command))
  const proofs =
    asked.length === 0 ? ran : ran.filter(({ command }) => asked.some((each) => squeeze(command).includes(squeeze(each))))
  if (proofs.length === 0) {
    const reason =
      asked.length === 0 ? 'No command ran in this turn.' : `${asked.join(', ')} is not among the commands of this turn.`
    return missing(record, reason, (call) => asked.length === 0 || asked.some((each) => call.includes(each)))
  }
  return supported(
    `${proofs.length === 1 ? 'The command is' : 'The commands are'} recorded.`,
    proofs.map(({ beatId }) => beatId),
  )
}

/** That something ran says nothing about a commit: it has a command and a tool of its own. */
function judgeGit(record: Record, act: 'commit' | 'push'): Judgement {
  const word = new RegExp(String.raw`\bgit\b.*\b${act}\b`)
  const proofs = record.evidence.facts.filter(
    (fact) => (fact.kind === 'command' && word.test(fact.command)) || (fact.kind === 'call' && fact.tool === `git_${act}`),
  )
  if (proofs.length === 0) return missing(record, `No ${act} is recorded in this turn.`, (call) => call.includes(act))
  return supported(
    `The ${act} is recorded.`,
    proofs.map(({ beatId }) => beatId),
  )
}

/** Looking may be any call; verifying after a change needs one that came after it. */
function judgeLook(record: Record, verified: boolean): Judgement {
  const { facts } = record.evidence
  const looks = facts.filter((fact) => fact.kind !== 'edit')
  const last = looks.at(-1)
  if (!last) return missing(record, 'Nothing was looked at in this turn.', isAnyCall)
  const edits = verified ? editsAfter(record.evidence, last) : []
  if (edits.length === 0)
    return supported(
      'What was looked at is recorded.',
      looks.map(({ beatId }) => beatId),
    )
  return {
    verdict: 'not_rechecked',
    reason: `Not re-checked: ${describeEdits(edits)} changed after the last look.`,
    evidence: [last.beatId, ...edits.map(({ beatId }) => beatId)],
  }
}

/** "Done" is good enough where something was done and no check of this turn stands red. */
function judgeDone(record: Record): Judgement {
  const { facts } = record.evidence
  const acts = facts.filter((fact) => fact.kind !== 'call')
  const red = lastCheck(record.evidence, ['test', 'types', 'build'])
  if (red && !red.green) return { verdict: 'contradicted', reason: describeRed(red), evidence: [red.beatId] }
  const proofs = acts.length > 0 ? acts : facts
  if (proofs.length === 0) return missing(record, 'Nothing was done in this turn.', isAnyCall)
  return supported(
    'What was done is recorded.',
    proofs.map(({ beatId }) => beatId),
  )
}

function supported(reason: string, evidence: readonly string[]): Judgement {
  return { verdict: 'supported', reason, evidence: [...new Set(evidence)].slice(0, mostBeats) }
}

/** More beats than this are not pointed to: nobody reads them, and the first and last say what there is. */
const mostBeats = 20

/** Unsupported, unless an earlier turn of the chat made such a call: then the claim may speak of that one. */
function missing({ earlier }: Record, reason: string, fits: (call: string) => boolean): Judgement {
  if (earlier.some(fits)) return { verdict: 'earlier', reason: `${reason} An earlier turn may have done it.`, evidence: [] }
  return { verdict: 'unsupported', reason, evidence: [] }
}

const isAnyCall = () => true

function isCheckCall(call: string): boolean {
  return /test|lint|check|build|tsc|make|verify/i.test(call)
}

function isSameFile(recorded: string, claimed: string): boolean {
  return recorded === claimed || recorded.endsWith(`/${claimed}`) || claimed.endsWith(`/${recorded}`)
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
