/** A model whose profile may prove wrong: one fact is corrected and kept, and the engine may ask once more. */
import type { ModelPort } from '@bridlewise/engine'
import { makeRefusal } from '@bridlewise/shared/refusals'
import type { ModelEvent, ModelRequest, Profile } from '@bridlewise/shared/wire'
import { type Correction, correctionIn } from './correction.ts'
import type { Endpoint } from './types.ts'

/**
 * A model that is spoken to as it turns out to want it.
 *
 * Contract: it makes no request of its own. A request that was refused for a parameter fails with
 * endpoint_corrected, which says what is changed and is worth one more attempt. A step is corrected
 * once: its second refusal is passed on as it is. What follows is written by the corrected profile.
 */
export function correctProfile(
  endpoint: Endpoint,
  {
    profileOf,
    modelFor,
  }: { readonly profileOf: (modelId: string) => Profile; readonly modelFor: (known: Endpoint) => ModelPort },
): ModelPort {
  let known = endpoint
  let model = modelFor(known)
  const corrected = new Set<string>()

  function learn(modelId: string, { changed }: Correction): void {
    const profile = { ...(known.profile ?? profileOf(modelId)), ...changed }
    known = { ...known, profile }
    model = modelFor(known)
    known.onCorrected?.({ changed, profile })
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const profile = known.profile ?? profileOf(request.modelId)
    const step = `${request.runId} ${request.step} ${request.purpose ?? ''}`
    let came = false
    for await (const event of model.stream(request, signal)) {
      const correction =
        event.type === 'failed' && !came && !corrected.has(step) ? correctionIn(event.refusal, request, profile) : null
      if (correction && event.type === 'failed') {
        corrected.add(step)
        learn(request.modelId, correction)
        yield {
          type: 'failed',
          refusal: makeRefusal('endpoint_corrected', { ...event.refusal.details, meaning: correction.meaning }),
        }
        return
      }
      if (event.type !== 'sent' && event.type !== 'waiting') came = true
      yield event
    }
  }

  return { fixture: model.fixture, stream }
}
