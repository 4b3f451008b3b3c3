/** Replacing by exact match: where the old text stands, whether that is unambiguous, and the content with the new one. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import { adviseMiss } from './advice.ts'
import { type ByteText, toBytes, toText } from './byte-text.ts'
import { flatten, spliceKeepingLineEnds } from './line-ends.ts'
import type { ReplaceEdit } from './request.ts'

/** Line numbers named in a refusal. */
const maxLinesNamed = 20

/**
 * Replace the old text by the new one and give back the whole body.
 *
 * Contract: an inexact match is never applied; the nearest region is words in a refusal.
 * Refuses: edit_no_change, edit_no_match, edit_ambiguous, edit_count_differs, encoding_unsupported.
 */
export function replaceText(content: ByteText, edit: ReplaceEdit): Result<string> {
  const { path } = edit
  const wanted = flattenArgument(edit.oldText)
  const fresh = flattenArgument(edit.newText)
  if (wanted === fresh) return refuse('edit_no_change', { path })
  const flat = flatten(content.body)
  const places = findPlaces(flat.text, toBytes(wanted))
  if (places.length === 0) return refuseMiss(content, edit)
  const refusal = judgeCount(flat.text, places, edit)
  if (refusal !== null) return refusal

  const size = toBytes(wanted).length
  let body = ''
  let from = 0
  for (const start of places) {
    const splice = spliceKeepingLineEnds(content.body, flat, { start, end: start + size, text: toBytes(fresh) })
    if (!content.isUtf8 && /[^\0-\x7f]/.test(splice.text)) return refuse('encoding_unsupported', { path })
    body += content.body.slice(from, splice.start) + splice.text
    from = splice.end
  }
  return ok(body + content.body.slice(from))
}

/** A byte order mark is never shown, so one that is sent back is not meant. */
function flattenArgument(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
}

/** Where a text stands, from left to right without overlaps. */
function findPlaces(text: string, wanted: string): number[] {
  const places: number[] = []
  if (wanted === '') return places
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at)
  return places
}

/** In a file that is not UTF-8, a text beyond ASCII may stand there in bytes that we cannot know. */
function refuseMiss(content: ByteText, { path, oldText }: ReplaceEdit): ReturnType<typeof refuse> {
  if (!content.isUtf8 && /[^\0-\x7f]/.test(oldText)) return refuse('encoding_unsupported', { path })
  return refuse('edit_no_match', { path, advice: adviseMiss(toText(content.body), oldText) })
}

/** Null when the number of places is the one that was asked for. */
function judgeCount(text: string, places: readonly number[], edit: ReplaceEdit): ReturnType<typeof refuse> | null {
  const { path, occurrences: expected = 1 } = edit
  if (expected === 'every') return null
  const standing = expected === 1 ? withOverlap(text, places, edit) : places
  if (standing.length === expected) return null
  const facts = { path, count: standing.length, lines: nameLines(text, standing) }
  return expected === 1 ? refuse('edit_ambiguous', facts) : refuse('edit_count_differs', { ...facts, expected })
}

/** A text that overlaps itself stands twice where a search without overlaps sees it once: `aba` in `ababa`. */
function withOverlap(text: string, places: readonly number[], { oldText }: ReplaceEdit): readonly number[] {
  const [first] = places
  if (places.length !== 1 || first === undefined) return places
  const again = text.indexOf(toBytes(flattenArgument(oldText)), first + 1)
  return again === -1 ? places : [first, again]
}

function nameLines(text: string, places: readonly number[]): string {
  const numbers: number[] = []
  let line = 1
  let from = 0
  for (const place of places.slice(0, maxLinesNamed)) {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1
    from = place
    numbers.push(line)
  }
  return numbers.join(', ') + (places.length > maxLinesNamed ? ', …' : '')
}
