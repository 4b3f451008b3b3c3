/** `search_text`: lines by their content. */
import { ok, type Result } from '@bridlewise/shared/refusals'
import { z } from 'zod'
import type { Walk } from '../../workspace/index.ts'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import type { LineHit, SearchedText } from '../find-lines.ts'
import { compileGlob } from '../glob.ts'
import { createLineMatcher, type LineMatcher } from '../line-matcher.ts'
import { done, refused } from '../results.ts'
import { addSkips, describeSkips } from '../skips.ts'

const maxShown = 200
/** Files above this are counted as too large rather than searched, in bytes. */
export const maxFileBytes = 2 * 1024 * 1024
/** Text handed to the matcher at a time, in UTF-16 units. */
const batchLength = 512 * 1024

export const searchTextTool = defineTool({
  name: 'search_text',
  description: 'Search lines in files, literally unless regex (JavaScript syntax, one line at a time).',
  category: 'search',
  capability: 'read',
  policy: 'allow',
  renders: 'matches',
  input: z.strictObject({
    pattern: z.string(),
    regex: z.boolean().optional(),
    anyCase: z.boolean().optional(),
    path: z.string().describe('directory').optional(),
    files: z.string().describe('as in find_files').optional(),
  }),
  headline: ({ pattern, path }) => ({ verb: 'Search', object: path === undefined ? pattern : `${pattern} in ${path}` }),
  run: async ({ workspace }, { pattern, regex = false, anyCase = false, path = '.', files = '**' }, signal) => {
    const glob = compileGlob(files)
    if (!glob.ok) return refused(glob.refusal)
    const admitted = await workspace.admit(path)
    if (!admitted.ok) return refused(admitted.refusal)
    const matcher = createLineMatcher({
      pattern,
      kind: regex ? 'regex' : 'literal',
      letters: anyCase ? 'any case' : 'exact',
    })
    if (!matcher.ok) return refused(matcher.refusal)

    await using lines = matcher.value
    const walk = workspace.walk({ under: admitted.value }, signal)
    const found = await searchFiles(walk, { lines, includes: glob.value })
    if (!found.ok) return refused(found.refusal)
    const refusal = walk.refusal()
    if (refusal) return refused(refusal)
    const { hits, total, files: inFiles } = found.value
    const skipped = addSkips(walk.skipped(), 'limit', total - hits.length)
    const shown = hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`)
    return done({
      summary: `${count(total, 'match', 'matches')} in ${count(inFiles, 'file')}`,
      text: `${shown.join('\n') || 'No line matches.'}${describeSkips(skipped)}`,
      details: { kind: 'matches', pattern, files: inFiles, matches: hits.map((hit) => ({ ...hit })), skipped },
      readOn: 'Narrow the pattern, the path or the files to see the rest.',
    })
  },
})

interface Found {
  readonly hits: readonly LineHit[]
  readonly total: number
  readonly files: number
}

/** Walk and match in batches, so that memory is bounded and a thread is asked seldom. */
async function searchFiles(
  walk: Walk,
  { lines, includes }: { readonly lines: LineMatcher; readonly includes: (path: string) => boolean },
): Promise<Result<Found>> {
  const hits: LineHit[] = []
  const files = new Set<string>()
  let total = 0
  let batch: SearchedText[] = []
  let length = 0
  const flush = async (): Promise<Result<null>> => {
    const matched = await lines.match(batch)
    if (!matched.ok) return matched
    for (const hit of matched.value) files.add(hit.path)
    total += matched.value.length
    hits.push(...matched.value.slice(0, maxShown - hits.length))
    batch = []
    length = 0
    return ok(null)
  }
  for await (const file of walk) {
    const view = includes(file.path) ? file.readText(maxFileBytes) : null
    if (!view) continue
    batch.push({ path: file.path, text: view.text })
    length += view.text.length
    if (length < batchLength) continue
    const flushed = await flush()
    if (!flushed.ok) return flushed
  }
  const flushed = await flush()
  return flushed.ok ? ok({ hits, total, files: files.size }) : flushed
}
