/** `read_file`: a file's text with line numbers, in ranges. */
import { makeRefusal } from '@bridlewise/shared/refusals'
import { z } from 'zod'
import { viewText } from '../../workspace/index.ts'
import { keepHead } from '../bound.ts'
import { count } from '../count.ts'
import { defineTool } from '../definition.ts'
import { done, refused } from '../results.ts'

const defaultLines = 500
export const maxLines = 2_000
/** Of the numbered text in one call; less than what the executor would cut. */
const maxBytes = 20 * 1024
const lineLimit = { bytes: 2_000, lines: 1 }

export const readFileTool = defineTool({
  name: 'read_file',
  description: `Read a text file with line numbers, ${defaultLines} lines unless said. Required before editing it.`,
  category: 'files',
  capability: 'read',
  policy: 'allow',
  renders: 'file',
  input: z.strictObject({
    path: z.string(),
    from: z.int().min(1).describe('first line').optional(),
    lines: z.int().min(1).max(maxLines).optional(),
  }),
  headline: ({ path, from }) => ({ verb: 'Read', object: from === undefined ? path : `${path}:${from}` }),
  run: async ({ workspace, readLog }, { path, from = 1, lines = defaultLines }) => {
    const admitted = await workspace.admit(path)
    if (!admitted.ok) return refused(admitted.refusal)
    const content = await workspace.read(admitted.value)
    if (!content.ok) return refused(content.refusal)
    const view = viewText(content.value.bytes)
    if (!view) return refused(makeRefusal('file_binary', { path: admitted.value }))
    readLog.record(admitted.value, content.value.digest)

    const all = splitLines(view.text)
    const shown = takeLines(all.slice(from - 1, from - 1 + lines), from)
    const to = from - 1 + shown.length
    const encoding = view.encoding === 'unknown' ? ' Not valid UTF-8: what does not decode is shown as U+FFFD.' : ''
    const rest = to < all.length ? ` Read on with from: ${to + 1}.` : ''
    const place = shown.length === 0 ? `no line ${from}` : `lines ${from}–${to}`
    return done({
      summary: summarise({ from, to, total: all.length }),
      text: `${admitted.value}, ${place} of ${all.length}.${encoding}${rest}\n${number(shown, from)}`,
      details: {
        kind: 'file',
        path: admitted.value,
        text: shown.join('\n'),
        from,
        to,
        total: all.length,
        digest: content.value.digest,
      },
    })
  },
})

function summarise({ from, to, total }: { readonly from: number; readonly to: number; readonly total: number }): string {
  if (from === 1 && to === total) return count(total, 'line')
  return to < from ? `no line ${from} of ${total}` : `${from}–${to} of ${count(total, 'line')}`
}

/** Lines without their ends, whichever those are. A final line end does not begin another line. */
function splitLines(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** As many of the lines as fit, long ones cut with a mark. */
function takeLines(lines: readonly string[], from: number): string[] {
  const taken: string[] = []
  let bytes = 0
  for (const line of lines) {
    const { text, cut } = keepHead(line, lineLimit)
    const shown = cut === null ? text : `${text} [line cut: ${Buffer.byteLength(line) - Buffer.byteLength(text)} bytes left out]`
    bytes += Buffer.byteLength(shown) + String(from + taken.length).length + 2
    if (bytes > maxBytes) break
    taken.push(shown)
  }
  return taken
}

function number(lines: readonly string[], from: number): string {
  return lines.map((line, at) => `${from + at}\t${line}`).join('\n')
}
