/** Checks and numbers of tests that a clause says are green. */
import type { Count } from './claim.ts'
import { type CheckKind, checkKinds, classifyCommand } from './commands.ts'

export function checksIn(clause: string): CheckKind[] {
  const code = clause.replaceAll('`', '')
  const found = checkPatterns
    .filter(({ after, short, none, before }) => [after, short, none, before].some((pattern) => pattern.test(code)))
    .map(({ kind }) => kind)
  if (found.length > 0) return found
  const [, command = '', rest = ''] = /`([^`]+)`(.*)/.exec(clause) ?? []
  if (passesNext.test(rest)) return [...classifyCommand(command)]
  if (compiles.test(code)) return ['build', 'types']
  return allChecks.test(code) ? [...checkKinds] : []
}

export function countsIn(clause: string): Count[] {
  const code = clause.replaceAll('`', '')
  const of = new RegExp(
    String.raw`\b(\d+)\s?(?:\/|of|out of)\s?(?:the )?(\d+)\s+(?:${tested}\s+)?${stands}(pass|succe|green|fail)`,
    'i',
  ).exec(code)
  const ofTested = of ?? new RegExp(String.raw`\b(\d+)\s?(?:\/|of|out of)\s?(?:the )?(\d+)\s+${tested}()`, 'i').exec(code)
  if (ofTested) {
    const [, some, total, word] = ofTested
    const isFailure = /^fail/i.test(word ?? '')
    return [
      { kind: 'count', passed: isFailure ? null : Number(some), failed: isFailure ? Number(some) : null, total: Number(total) },
    ]
  }
  const ratio = new RegExp(String.raw`\b${tested}\s+\(?(\d+)\s?\/\s?(\d+)\)?`, 'i').exec(code)
  if (ratio) return [{ kind: 'count', passed: Number(ratio[1]), failed: null, total: Number(ratio[2]) }]
  const passed = new RegExp(
    String.raw`\b(?:all )?(\d+) (?:${tested} )?${stands}(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\b`,
    'i',
  ).exec(code)
  const failed = new RegExp(String.raw`\b(\d+) (?:${tested} )?${stands}(?:fail(?:s|ed|ing)?|failures?)\b`, 'i').exec(code)
  if (!passed && !failed) return []
  const total = passed !== null && /\ball (?:the |of the )?\d/i.test(passed[0]) ? Number(passed[1]) : null
  return [{ kind: 'count', passed: passed && Number(passed[1]), failed: failed && Number(failed[1]), total }]
}

export function tellsOfFailures({ passed, failed, total }: Count): boolean {
  return (failed ?? 0) > 0 || (passed !== null && total !== null && passed < total)
}

const subjects: Readonly<Record<CheckKind, string>> = {
  test: `(?:tests?|specs?|test suites?|suites?|test runs?|assertions|vitest|jest|pytest|regression tests?)`,
  lint: `(?:lint(?:er|ing|s)?|eslint|biome|oxlint|prettier|formatter|formatting|ruff|clippy|flake8|style checks?)`,
  types: `(?:type[ -]?check(?:s|ing|er)?|types|tsc|mypy|pyright|typescript(?: compiler)?)`,
  build: `(?:builds?|bundle|compilation|compile|compiler)`,
}
const passes = `(?:pass(?:es|ed|ing)?|succe(?:ed|eds|eded|ssful|ssfully)|(?:is|are|was|were|stays?|remains?|came back|comes? back|all) (?:still |now |all )*(?:green|clean|ok|okay|happy|passing)|(?:no|0|zero|without(?: any)?) (?:errors?|failures?|warnings?|issues?|problems?)|works?|is fine|are fine)`
/** What a quoted command is said to have come to. */
const passesNext = new RegExp(String.raw`^.{0,30}?\b${passes}\b`, 'i')
const checkPatterns = checkKinds.map((kind) => ({
  kind,
  after: new RegExp(String.raw`\b${subjects[kind]}\b.{0,60}?\b${passes}\b`, 'i'),
  /** "Tests green", "Lint | ✅ clean": no verb between. */
  short: new RegExp(String.raw`\b${subjects[kind]}\s+(?:[✅✔☑️]+\s*)?(?:all |now |still )*(?:green|clean|okay|ok)\b`, 'i'),
  none: new RegExp(
    String.raw`\b(?:no|zero|0|without(?: any)?) (?:more )?(?:failing|failed|broken|red) (?:\w+ )?${subjects[kind]}\b`,
    'i',
  ),
  before: new RegExp(String.raw`\b(?:pass(?:es|ed|ing)?|succeeds? in) (?:\w+ ){0,3}?${subjects[kind]}\b`, 'i'),
}))
const allChecks =
  /\b(?:all(?: the| of the)? checks|every check|everything|ci|the gate|all) (?:\w+ )?(?:pass(?:es|ed|ing)?|(?:is|are) (?:now )?green)\b|\ball green\b/i
const compiles =
  /\b(?:it|project|code|everything|package|workspace|crate) (?:now |still |also )*(?:compiles|builds|type-?checks)\b/i

const tested = `(?:(?:unit |integration |existing |new |regression |the |of the |all )*(?:tests?|specs?|checks?|examples?|cases?|assertions?))`
const stands = `(?:have |has |are |is |now |all |still |were |was )*`
