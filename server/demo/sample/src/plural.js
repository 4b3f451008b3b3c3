/** `1 step`, `2 steps`. Only for nouns that take an s. */
export function plural(count, noun) {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
