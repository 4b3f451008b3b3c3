/** Going back in a chat, and beginning a new one with its past. */
export { type Comparison, compareRewind } from './compare.ts'
export { type ForkRequest, forkChat } from './fork.ts'
export { type ChatMarks, readMarks, toMark } from './marks.ts'
export type { RewindParts, RewindRequest, RewindTarget } from './parts.ts'
export { previewRewind, type RewindPreview } from './plan.ts'
export { recoverChanges } from './recover.ts'
export { type Rewound, rewindChat } from './rewind.ts'
