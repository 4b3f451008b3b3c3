/** Text of others, told to a model as data. */

/** A mark on every line, so that no line of the text can pretend to be the end of the quotation. */
export function quote(text: string): string {
  return text
    .trimEnd()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join('\n')
}
