/** What a person keeps from every model: which paths and which tools' answers their rules name. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { describeEgressRule, type EgressRule, type WithheldClass } from '@bridlewise/shared/wire'
import ignore, { type Ignore } from 'ignore'

export interface Withholding {
  /** The rule that keeps a file of the project, by its path from the root, in words; null when none does. */
  ofPath(path: string): string | null
  /** The rule that keeps whatever a tool answers, in words; null when none does. */
  ofTool(tool: string): string | null
  /** Whether any rule is about paths. */
  readonly paths: boolean
}

/** Patterns of each class, as in `.gitignore`: at any depth, whatever the case. Examples and templates hold no values. */
export const withheldPatterns: Readonly<Record<WithheldClass, readonly string[]>> = {
  environment: ['.env', '.env.*', '*.env', '.envrc', '!.env.example', '!.env.sample', '!.env.template'],
  keys: [
    ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk', 'id_rsa', 'id_dsa', 'id_ecdsa'],
    ...['id_ed25519', '.ssh/', '.gnupg/', '.aws/', '.netrc', '.npmrc', '.pypirc', '.htpasswd', '.git-credentials'],
  ],
  locks: [
    ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb', 'Cargo.lock'],
    ...['poetry.lock', 'uv.lock', 'Pipfile.lock', 'Gemfile.lock', 'composer.lock', 'go.sum', 'flake.lock', 'deno.lock'],
  ],
  databases: ['*.sqlite', '*.sqlite3', '*.db', '*.db-wal', '*.mdb', '*.dump', '*.sql.gz'],
}

/** Keeps nothing. */
export const nothingWithheld: Withholding = withholding([])

/** Rules put together. Contract: each was taken by `checkEgressRule`; one that was not keeps what it can. */
export function withholding(rules: readonly EgressRule[]): Withholding {
  const paths = rules.flatMap((rule) => (rule.kind === 'tool' ? [] : [{ name: describeEgressRule(rule), ignore: compile(rule) }]))
  const tools = new Map(rules.flatMap((rule) => (rule.kind === 'tool' ? [[rule.tool, describeEgressRule(rule)]] : [])))
  return {
    ofPath: (path) => (path === '.' || path === '' ? null : (paths.find((rule) => rule.ignore.ignores(path))?.name ?? null)),
    ofTool: (tool) => tools.get(tool) ?? null,
    paths: paths.length > 0,
  }
}

/**
 * Take a rule, or say why it could never keep anything.
 *
 * Refuses: pattern_invalid.
 */
export function checkEgressRule(rule: EgressRule): Result<EgressRule> {
  if (rule.kind !== 'path') return ok(rule)
  const pattern = rule.pattern.trim()
  if (/[\n\r\0]/.test(pattern)) return refuse('pattern_invalid', { problem: 'it has more than one line' })
  if (pattern === '' || pattern === '/') return refuse('pattern_invalid', { problem: 'it names no path' })
  if (pattern.startsWith('!')) return refuse('pattern_invalid', { problem: 'a rule that begins with ! keeps nothing' })
  if (pattern.startsWith('#')) return refuse('pattern_invalid', { problem: 'what begins with # is a comment' })
  if (/^\.{0,2}\/?\.\.\//.test(pattern)) return refuse('pattern_invalid', { problem: 'it leads out of the project' })
  return ok({ ...rule, pattern })
}

function compile(rule: Exclude<EgressRule, { kind: 'tool' }>): Ignore {
  return ignore().add(rule.kind === 'path' ? rule.pattern : [...withheldPatterns[rule.name]])
}
