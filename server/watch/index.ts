/** Front door of the watch: what goes wrong while the server runs, noticed without being asked. */
export { createWatch, type Readings, type Trouble, type Watch, watchLimits } from './watch.ts'
