/** The one door to models. Nothing outside this room imports another file of it. */
import { checkAddress } from './address.ts'
import { correctProfile } from './correcting.ts'
import { createEndpointModel } from './endpoint-model.ts'
import { createFixtureModel } from './fixtures.ts'
import { discover, listModels } from './models.ts'
import { probe, probeBounds, probeQuestions } from './probe.ts'
import { startingProfile } from './profile.ts'
import { needsKey, presets } from './providers.ts'
import { createRedaction } from './redaction.ts'
import { fitToolNames } from './tool-names.ts'
import { createTransport } from './transport.ts'
import type { Bridge, BridgeParts, ModelLimits } from './types.ts'

/** Roughly how many tokens a request is. */
export { estimateTokens } from './choke.ts'
export type { Bridge, BridgeParts, DeniedEgress, EgressDesk, Endpoint, Leaving, ModelLimits } from './types.ts'

const MIB = 1024 * 1024

/** In force unless the caller gives others. */
export const usualLimits: ModelLimits = {
  connectMs: 20_000,
  firstMs: 120_000,
  idleMs: 60_000,
  noticeMs: 2_000,
  answerLength: 4 * MIB,
  wireBytes: 64 * MIB,
  lineBytes: 2 * MIB,
  calls: 128,
}

/** An endpoint that ignores the length it was asked for is left. */
const probeLimits = { connectMs: 5_000, firstMs: 60_000, idleMs: 30_000, answerLength: 32_768, wireBytes: MIB }

/** Make the door. Contract: it sends nothing, loads nothing and holds no connection until it is asked for a model. */
export function createBridge(parts: BridgeParts): Bridge {
  const limits = { ...usualLimits, ...parts.limits }
  const transport = createTransport({ dispatcher: parts.dispatcher, version: parts.version, limits, onDenied: parts.onDenied })
  const asking = {
    transport,
    limits: { ...limits, connectMs: Math.min(limits.connectMs, 5_000), firstMs: Math.min(limits.firstMs, 15_000) },
  }
  const pace = { ms: parts.fixturePaceMs ?? 14, nextId: () => parts.ids.next('call') }

  return {
    presets,
    checkAddress,
    needsKey,
    modelFor(endpoint, secrets, desk) {
      if (parts.fixtures || endpoint.kind === 'demo') return createFixtureModel(pace)
      const ours = [...secrets, ...parts.dispatcher.secrets(), ...(endpoint.apiKey ? [endpoint.apiKey] : [])]
      const redaction = createRedaction(ours, desk.redactions)
      const line = { redaction, desk, transport, limits, nextId: pace.nextId, now: () => parts.clock.now() }
      const profileOf = (modelId: string) => endpoint.profile ?? startingProfile(endpoint.kind, modelId)
      const model = correctProfile(endpoint, {
        profileOf,
        modelFor: (known) => createEndpointModel({ ...line, endpoint: known }),
      })
      return fitToolNames(model, ({ modelId }) => profileOf(modelId).toolNameLength)
    },
    startingProfile,
    probing: { bounds: probeBounds, questions: probeQuestions },
    probe: ({ endpoint, modelId }, { onSend, onStep }, signal) =>
      probe(
        { endpoint, modelId, transport, limits: { ...limits, ...probeLimits }, onSend },
        { start: startingProfile(endpoint.kind, modelId), tell: onStep },
        signal,
      ),
    listModels: (endpoint, signal) => listModels(asking, endpoint, signal),
    discover: (signal) => discover(asking, signal),
  }
}
