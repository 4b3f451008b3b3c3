/** The project directory as a scope: descriptor walk, ignore rules, digests, atomic writes. */
export type { FileContent } from './content.ts'
export { liesIn, narrowWrites } from './narrowed.ts'
export type { StagedFile, StageRequest } from './staging.ts'
export { viewText } from './text.ts'
export type { Walk } from './walk.ts'
export { checkEgressRule, type Withholding, withholding } from './withheld.ts'
export { findWithheld, type WithheldFiles, type WithheldWords } from './withheld-text.ts'
export { openWorkspace, readLimit, type Workspace } from './workspace.ts'
