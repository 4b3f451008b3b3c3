/** The sample project and the recorded turn that works on it. */
import { fileURLToPath } from 'node:url'
import { recording } from './recording.ts'

export { type RecordedStep, recording } from './recording.ts'

/** What to ask of the sample project; the only task that the recording knows. */
export const suggestedPrompt = recording.prompt

/** Where the sample lies. Contract: it is copied before it is used; nothing works in it. */
export const sampleHome = fileURLToPath(new URL('./sample', import.meta.url))
