/** The privacy engine: which texts are secret, and what stands in their place. */
export { containsPlaceholder, findPlaceholders } from './placeholder.ts'
export { createRedactor, type Redaction, type Redactor } from './redactor.ts'
