/** The privacy engine: which texts are secret, and what stands in their place. */
export { type BoundedRedactor, createBoundedRedactor, type RedactionLimits, redactionLimits } from './bounded-redactor.ts'
export { checkOwnRule, type OwnRule, ownRuleLimits } from './own-rules.ts'
export { containsPlaceholder, findPlaceholders } from './placeholder.ts'
export { createRedactor, type Redaction, type Redactor } from './redactor.ts'
export type { RedactorSettings } from './replacements.ts'
export { createStreamRedactor, type StreamRedactor } from './stream-redactor.ts'
