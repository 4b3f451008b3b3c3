/** The project directory as a scope: descriptor walk, ignore rules, digests, atomic writes. */
export type { FileContent } from './content.ts'
export type { Listing, ListingEntry } from './listing.ts'
export type { StagedFile, StageRequest } from './staging.ts'
export { type Newline, type TextView, viewText } from './text.ts'
export type { Walk, WalkedFile, WalkRequest } from './walk.ts'
export { openWorkspace, readLimit, type Workspace } from './workspace.ts'
