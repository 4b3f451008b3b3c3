/** What a run's model reads of its chat, from the ledger, and what the person set about it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPast, type TurnInput } from '@bridlewise/engine'
import type { ModelChoice } from '@bridlewise/shared/wire'
import type { Bridge } from '../llm/bridge.ts'
import { findProfile } from '../providers/index.ts'
import type { Owner, Store } from '../storage/index.ts'
import type { RunParts } from './control.ts'
import { readStanding } from './past-beats.ts'
import type { Ticket } from './ticket.ts'

/** The person's own instructions, in the data home: they hold in every project. */
const ownFile = 'AGENTS.md'
/** Only the beginning of them is sent anyway. */
const mostOfOwn = 64 * 1024

/** The past of a ticket's chat, with its message of this run, and the settings that bear on it. */
export function readContext(parts: RunParts, ticket: Ticket): Required<Pick<TurnInput, 'history' | 'context'>> {
  const { store } = parts
  const { scope, endpoint, model, project, task } = ticket
  const { history, ...past } = readPast(readStanding(store, scope), {
    endpoint: endpoint.baseUrl,
    modelId: model.modelId,
    reasoning: (endpoint.profile ?? parts.bridge.startingProfile(endpoint.kind, model.modelId)).reasoning.back,
  })
  const begun = store.ledger.list(scope, { runId: scope.runId, limit: 10 }).items
  const prompt = begun.find(({ kind }) => kind === 'message')
  return {
    history,
    context: {
      ...past,
      task,
      window: windowOf(parts, scope, model).tokens,
      promptSeq: prompt?.seq ?? null,
      ownInstructions: readOwn(store.homes.data),
      projectInstructions: project && readsInstructions(store, scope, project.id) ? 'read' : 'left_out',
    },
  }
}

export interface KnownWindow {
  readonly tokens: number | null
  /** Who says so. */
  readonly from: 'person' | 'profile' | 'nobody'
}

/** What a model takes: as the person set it, or as its profile says. */
export function windowOf(
  { store, bridge }: { readonly store: Pick<Store, 'settings' | 'providers'>; readonly bridge: Pick<Bridge, 'startingProfile'> },
  owner: Owner,
  model: ModelChoice,
): KnownWindow {
  const set = store.settings.get(owner, 'contextWindows')?.[`${model.providerId}/${model.modelId}`]
  if (set !== undefined) return { tokens: set, from: 'person' }
  const kind = store.providers.get(owner, model.providerId)?.kind ?? 'demo'
  const tokens = (findProfile(store, owner, model)?.profile ?? bridge.startingProfile(kind, model.modelId)).contextWindow
  return { tokens, from: tokens === null ? 'nobody' : 'profile' }
}

/** Whether this person lets the project's instruction files be sent. */
export function readsInstructions({ settings }: Pick<Store, 'settings'>, owner: Owner, projectId: string): boolean {
  return !(settings.get(owner, 'instructionsOff') ?? []).includes(projectId)
}

/** A file that is absent, unreadable or not text says nothing. */
function readOwn(home: string): { readonly path: string; readonly text: string } | null {
  try {
    const bytes = readFileSync(join(home, ownFile))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, mostOfOwn), { stream: true })
    return text.includes('\0') ? null : { path: ownFile, text }
  } catch {
    return null
  }
}
