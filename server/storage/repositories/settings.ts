/** What a person chose, by name. */
import type { ModelChoice } from '@bridlewise/shared/wire'
import type { Owner } from '../pages.ts'

/** Every setting there is, with the shape of its value. */
export interface SettingValues {
  readonly chosenModel: ModelChoice
}

export interface Settings {
  get<Name extends keyof SettingValues>(owner: Owner, name: Name): SettingValues[Name] | null
  set<Name extends keyof SettingValues>(owner: Owner, name: Name, value: SettingValues[Name]): void
  remove(owner: Owner, name: keyof SettingValues): void
}
