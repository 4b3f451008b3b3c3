/** The one way to change files: exact match, all or nothing, with the difference as the result. */
export { diffTexts } from './diff.ts'
export { applyEdits } from './edit.ts'
export { createReadLog, type ReadLog } from './read-log.ts'
export type { Edit, EditContext, EditedFile, EditOutcome } from './request.ts'
export { type Restoration, type RestoreContext, restoreFiles } from './restore.ts'
export { createVersionLog, type VersionLog } from './version-log.ts'
