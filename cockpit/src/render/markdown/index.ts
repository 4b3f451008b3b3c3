/** Prose of a model, from text to what is drawn. */
export { default as CodeBlock } from './CodeBlock.svelte'
export { readLink } from './links.ts'
export { default as Markdown } from './Markdown.svelte'
