/** What a command checks, told from its words. */

export type CheckKind = 'test' | 'lint' | 'types' | 'build'

export const checkKinds: readonly CheckKind[] = ['test', 'lint', 'types', 'build']

const scripts = String.raw`(?:npm|pnpm|yarn|bun|deno|just|task|make|rake|composer|poetry|hatch|tox|nox)(?:\s+(?:run|task|--silent|-s|-r|exec))*\s+(?:[\w-]+:)*`

/** The names of well-known tools, and of the scripts that projects give them. */
const patterns: Readonly<Record<CheckKind, RegExp>> = {
  test: new RegExp(
    String.raw`${scripts}(?:test|tests|check|verify|spec|ci|t)\b|\b(?:vitest|jest|mocha|ava|tap|pytest|nosetests|unittest|rspec|minitest|phpunit|pest|ctest|playwright\s+test|cypress\s+run|busted|tox|nox)\b|--test\b|\b(?:go|cargo|dotnet|mvn|gradle|\.\/gradlew|swift|mix|sbt|zig|stack|cabal|flutter|dart|bazel|meson|bun|deno)\s+(?:[\w-]+\s+)*?(?:test|nextest|verify)\b|\bnode\b.*\.(?:test|spec)\.`,
    'i',
  ),
  lint: new RegExp(
    String.raw`${scripts}(?:lint|format|fmt|check|verify|ci)\b|\b(?:eslint|biome|oxlint|stylelint|prettier|ruff|flake8|pylint|black|rubocop|golangci-lint|gofmt|clippy|shellcheck|hadolint|ktlint|checkstyle|clang-tidy)\b|\b(?:go\s+vet|cargo\s+fmt)\b`,
    'i',
  ),
  types: new RegExp(
    String.raw`${scripts}(?:types?|typecheck|type-check|tsc|check|verify|ci)\b|\b(?:tsc|vue-tsc|svelte-check|mypy|pyright|pytype|sorbet|flow)\b|\bcargo\s+check\b`,
    'i',
  ),
  build: new RegExp(
    String.raw`${scripts}(?:build|compile|bundle|dist|all|verify|ci)\b|^\s*(?:make|ninja|meson\s+compile)\s*(?:-\S+\s*)*$|\b(?:go|cargo|dotnet|gradle|\.\/gradlew|swift|zig|stack|cabal|flutter|bazel|docker|mix|vite|webpack|rollup|esbuild|next|astro)\s+(?:build|compile|package)\b|\b(?:cmake\s+--build|mvn\s+(?:compile|package|install)|gcc|g\+\+|clang|cc|javac|rustc|tsc)\b`,
    'i',
  ),
}

/** Longer commands are read up to here: the patterns are not linear in all they could be given. */
const readLength = 2000

/** What a shell line checks. A line may check several things, one that is not known checks nothing. */
export function classifyCommand(command: string): readonly CheckKind[] {
  const line = command.slice(0, readLength)
  return checkKinds.filter((kind) => patterns[kind].test(line))
}
