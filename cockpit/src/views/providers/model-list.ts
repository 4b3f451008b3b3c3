/** Lists of model ids, as people write and search them. */

/** Ids in a line that a person typed, separated by commas or spaces. */
export function namesOf(typed: string): string[] {
  return typed.split(/[\s,]+/).filter(Boolean)
}

/** Ids that hold every typed word, whatever the case. */
export function narrowModels(models: readonly string[], typed: string): string[] {
  const words = namesOf(typed.toLowerCase())
  return models.filter((model) => words.every((word) => model.toLowerCase().includes(word)))
}
