/** `find_files`: paths by pattern. */
import { z } from 'zod'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import { compileGlob } from '../glob.ts'
import { done, refused } from '../results.ts'
import { addSkips, describeSkips } from '../skips.ts'

const maxShown = 300

export const findFilesTool = defineTool({
  name: 'find_files',
  description: 'Find files by pattern, as *.test.ts or src/**/*.{ts,tsx}.',
  category: 'search',
  capability: 'read',
  policy: 'allow',
  renders: 'listing',
  input: z.strictObject({ pattern: z.string(), path: z.string().describe('directory to look in').optional() }),
  headline: ({ pattern }) => ({ verb: 'Find', object: pattern }),
  run: async ({ workspace }, { pattern, path = '.' }, signal) => {
    const glob = compileGlob(pattern)
    if (!glob.ok) return refused(glob.refusal)
    const admitted = await workspace.admit(path)
    if (!admitted.ok) return refused(admitted.refusal)
    const walk = workspace.walk({ under: admitted.value }, signal)
    const found: { path: string; type: 'file'; bytes: number }[] = []
    let total = 0
    for await (const file of walk) {
      if (!glob.value(file.path)) continue
      total += 1
      if (found.length < maxShown) found.push({ path: file.path, type: 'file', bytes: file.bytes })
    }
    const refusal = walk.refusal()
    if (refusal) return refused(refusal)
    const skipped = addSkips(walk.skipped(), 'limit', total - found.length)
    return done({
      summary: count(total, 'file'),
      text: `${found.map((file) => file.path).join('\n') || 'No file matches.'}${describeSkips(skipped)}`,
      details: { kind: 'listing', path: admitted.value, entries: found, skipped },
      readOn: 'Narrow the pattern or the path to see the rest.',
    })
  },
})
