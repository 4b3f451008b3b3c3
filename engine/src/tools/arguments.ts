/** The arguments of a call, from the raw text the model sent to a value. Read strictly, never mended. */

export type Arguments =
  | { readonly kind: 'read'; readonly value: unknown }
  /** The text stops in the middle of a value. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'invalid'; readonly problem: string }

/** Larger than any file the editor handles in one call; what is above is not worth parsing. */
export const maxBytes = 4 * 1024 * 1024
/** No schema of ours nests this deep; recursion over hostile depth would overflow the stack. */
export const maxDepth = 64

/**
 * Read the raw arguments of a call.
 *
 * No text at all stands for no arguments: that is how several endpoints send a call without any.
 */
export function readArguments(text: string): Arguments {
  if (text.trim() === '') return { kind: 'read', value: {} }
  const bytes = Buffer.byteLength(text)
  if (bytes > maxBytes) return { kind: 'invalid', problem: `they have ${bytes} bytes and at most ${maxBytes} are read` }
  const shape = scanNesting(text)
  if (shape.deepest > maxDepth) return { kind: 'invalid', problem: `they nest deeper than ${maxDepth} levels` }
  try {
    let beyond = false
    const value: unknown = JSON.parse(text, (_name, member: unknown) => {
      beyond ||= typeof member === 'number' && !Number.isFinite(member)
      return member
    })
    // `1e400` is JSON and no number of ours; no ledger entry could hold it either.
    return beyond ? { kind: 'invalid', problem: 'a number in them is too large' } : { kind: 'read', value }
  } catch {
    return shape.open ? { kind: 'cut' } : { kind: 'invalid', problem: 'they are not valid JSON' }
  }
}

/** One pass over brackets and strings: how deep it goes, and whether something is still open at the end. */
function scanNesting(text: string): { readonly deepest: number; readonly open: boolean } {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at += 1
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth)
    else if (char === '}' || char === ']') depth -= 1
  }
  return { deepest, open: inString || depth > 0 }
}
