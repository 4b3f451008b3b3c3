/** Read by the bundler and by svelte-check. Every component is in runes mode. */
export default {
  compilerOptions: { runes: true },
}
