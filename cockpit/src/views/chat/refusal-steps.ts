/** The one next step after a refused start, where the cockpit can lead to it. */
import type { Refusal, RefusalCode } from '@bridlewise/shared/refusals'
import type { DeskState } from '../../state/index.ts'
import { navigate } from '../context.ts'

export interface NextStep {
  readonly label: string
  readonly onclick: () => void
}

const toProviders: ReadonlySet<RefusalCode> = new Set([
  'provider_not_configured',
  'provider_key_missing',
  'model_not_configured',
  'endpoint_unauthorized',
  'endpoint_unreachable',
  'endpoint_nonsense',
  'endpoint_redirected',
])
const toProjects: ReadonlySet<RefusalCode> = new Set(['project_missing'])
const toBudget: ReadonlySet<RefusalCode> = new Set(['budget_exceeded', 'price_unknown'])
const toModels: ReadonlySet<RefusalCode> = new Set(['model_not_chosen', 'context_irreducible'])
const toPosture: ReadonlySet<RefusalCode> = new Set(['capability_denied'])

export function nextStep(refusal: Refusal, desk: DeskState): NextStep | undefined {
  if (toProviders.has(refusal.code)) return { label: 'Open providers', onclick: () => navigate({ place: 'providers' }) }
  if (toProjects.has(refusal.code)) return { label: 'Open projects', onclick: () => navigate({ place: 'projects' }) }
  if (toBudget.has(refusal.code)) {
    return { label: 'Open budget', onclick: () => navigate({ place: 'block', blockId: 'budget' }) }
  }
  if (toPosture.has(refusal.code)) return { label: 'Open posture', onclick: () => navigate({ place: 'posture' }) }
  if (!toModels.has(refusal.code)) return undefined
  return {
    label: 'Choose a model',
    onclick: () => {
      desk.paletteOpen = true
    },
  }
}
