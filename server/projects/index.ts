/** Front door of projects: which directories may become one, and the sample. */
export { acceptDirectory, isPresent, type PinnedDirectory } from './accept.ts'
export { browseDirectories, type Listing } from './browse.ts'
export { copySample, type Sample } from './demo.ts'
