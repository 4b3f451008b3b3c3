/** Who can change a refusal's outcome and when it is worth trying again, in a sentence. */
import type { Fixer, Refusal } from '@bridlewise/shared/refusals'

const fixers: Readonly<Record<Fixer, string>> = {
  user: 'You can put this right.',
  operator: 'Whoever runs this server can put it right.',
  model: 'The model was told, and can do it differently.',
  project: 'Something in the project has to change first.',
}

export function adviseOn(refusal: Pick<Refusal, 'fix' | 'retry'>): string {
  if (refusal.retry === 'later') return 'Try again in a moment.'
  if (refusal.retry === 'never') return 'Trying again will not help.'
  return fixers[refusal.fix]
}
