/** Every refusal there is, one file an area. A code has one meaning; retired codes stay listed. */
import { boundaryRefusals } from './boundary.ts'
import { confinementRefusals } from './confinement.ts'
import { editorRefusals } from './editor.ts'
import type { RefusalEntry } from './entry.ts'
import { keyRefusals } from './keys.ts'
import { modelRefusals } from './model.ts'
import { networkRefusals } from './network.ts'
import { privacyRefusals } from './privacy.ts'
import { runRefusals } from './run.ts'
import { storageRefusals } from './storage.ts'
import { toolRefusals } from './tool.ts'

export const registry = {
  ...boundaryRefusals,
  ...runRefusals,
  ...modelRefusals,
  ...networkRefusals,
  ...toolRefusals,
  ...editorRefusals,
  ...confinementRefusals,
  ...storageRefusals,
  ...keyRefusals,
  ...privacyRefusals,
} as const satisfies Readonly<Record<string, RefusalEntry>>

export type RefusalCode = keyof typeof registry

export function isRefusalCode(value: unknown): value is RefusalCode {
  return typeof value === 'string' && Object.hasOwn(registry, value)
}
