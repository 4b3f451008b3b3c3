/** Texts in the forms in which vendors send them: bare, in parts, or as an object. */
import { isRecord } from './failures.ts'

/** Text, or the text parts of a content array. Absent and null are empty. */
export function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}

/** What was thought, where it comes as parts of the content. */
export function thoughtIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => (isRecord(part) && part['type'] === 'thinking' ? textIn(part['thinking']) : '')).join('')
}

/** Some local servers send the arguments as an object. */
export function argumentsIn(value: unknown): string {
  return isRecord(value) ? JSON.stringify(value) : textIn(value)
}
