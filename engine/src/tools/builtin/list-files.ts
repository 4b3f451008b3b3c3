/** `list_files`: what stands in one directory. */
import { z } from 'zod'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import { done, refused } from '../results.ts'
import { addSkips, describeSkips } from '../skips.ts'

const maxShown = 500

export const listFilesTool = defineTool({
  name: 'list_files',
  description: 'List a directory, the root unless said. Directories end in "/".',
  category: 'files',
  capability: 'read',
  policy: 'allow',
  renders: 'listing',
  input: z.strictObject({ path: z.string().optional() }),
  headline: ({ path = '.' }) => ({ verb: 'List', object: path }),
  run: async ({ workspace }, { path = '.' }) => {
    const admitted = await workspace.admit(path)
    const listing = admitted.ok ? await workspace.list(admitted.value) : admitted
    if (!listing.ok) return refused(listing.refusal)
    const entries = listing.value.entries.slice(0, maxShown)
    const skipped = addSkips(listing.value.skipped, 'limit', listing.value.entries.length - entries.length)
    const lines = entries.map((entry) => {
      if (entry.type === 'directory') return `${entry.path}/`
      return entry.bytes === null ? `${entry.path} (${entry.type})` : `${entry.path} (${entry.bytes} bytes)`
    })
    return done({
      summary: count(entries.length, 'entry', 'entries'),
      text: `${lines.join('\n') || 'Nothing to show.'}${describeSkips(skipped)}`,
      details: { kind: 'listing', path: listing.value.path, entries: entries.map((entry) => ({ ...entry })), skipped },
      readOn: 'List a directory below it, or use find_files, to see the rest.',
    })
  },
})
