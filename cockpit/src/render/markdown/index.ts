/** Prose of a model, from text to what is drawn. */
export { default as Markdown } from './Markdown.svelte'
