/** Git's ignore rules as the workspace applies them: nested `.gitignore` files, the deepest rule that speaks decides. */
import { closeSync } from 'node:fs'
import { ok, type Result } from '@bridlewise/shared/refusals'
import ignore, { type Ignore } from 'ignore'
import { readEntry } from './content.ts'
import { openChild, openRoot, type RootPin } from './descent.ts'
import { joinPath, splitPath } from './path.ts'

/** Larger rule files are not read; a project that has one gets its files shown rather than hidden. */
const rulesLimit = 256 * 1024

/** The rules in force inside one directory: its own on top of those of the directories above it. */
export class IgnoreRules {
  readonly #directory: string
  readonly #above: IgnoreRules | null
  readonly #own: Ignore | null
  /** The rule that ignores this whole directory. Nothing in it can be included again, as for git. */
  readonly #blanket: string | null

  /**
   * Read the rules of a directory we hold.
   * A `.gitignore` that is a link, unreadable, or too large counts as absent, as a link does for git.
   */
  constructor(fd: number, directory: string, above: IgnoreRules | null) {
    const content = readEntry(fd, '.gitignore', { path: joinPath(directory, '.gitignore'), limit: rulesLimit })
    this.#directory = directory
    this.#above = above
    this.#own = content.ok ? ignore().add(Buffer.from(content.value.bytes).toString('utf8')) : null
    this.#blanket = above?.findRule(`${this.#name}/`) ?? null
  }

  /**
   * The rule that ignores an entry of this directory, as `src/.gitignore: *.log`, or null.
   * `name` ends in a slash when the entry is a directory.
   */
  findRule(name: string): string | null {
    if (this.#blanket !== null) return this.#blanket
    const verdict = this.#own?.test(name)
    if (verdict?.ignored) return `${joinPath(this.#directory, '.gitignore')}: ${verdict.rule?.pattern ?? ''}`
    if (verdict?.unignored) return null
    return this.#above?.findRule(`${this.#name}/${name}`) ?? null
  }

  get #name(): string {
    return splitPath(this.#directory).at(-1) ?? '.'
  }
}

/**
 * The rules in force inside the directory at a normal path.
 *
 * Refuses: what `openDirectory` refuses.
 */
export function findRules(pin: RootPin, path: string): Result<IgnoreRules> {
  const root = openRoot(pin)
  if (!root.ok) return root
  let fd = root.value
  let directory = '.'
  try {
    let rules = new IgnoreRules(fd, directory, null)
    for (const name of splitPath(path)) {
      directory = joinPath(directory, name)
      const next = openChild(fd, name, directory)
      if (!next.ok) return next
      closeSync(fd)
      fd = next.value
      rules = new IgnoreRules(fd, directory, rules)
    }
    return ok(rules)
  } finally {
    closeSync(fd)
  }
}
