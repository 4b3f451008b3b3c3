/** Front door of projects: which directories may become one, the sample, and what ends with a share. */
export { acceptDirectory, isPresent, type PinnedDirectory } from './accept.ts'
export { browseDirectories, type Listing } from './browse.ts'
export { copySample, removeCopies, type Sample } from './demo.ts'
export { endShare, leaveProject, removeProject, type SharingParts, stopWorkOf } from './sharing.ts'
export { findTree } from './tree.ts'
