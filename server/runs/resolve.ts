/** Everything a run needs, found before anything is made: a refusal here leaves nothing behind. */
import type { Chat } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { ModelChoice, Run } from '@bridlewise/shared/wire'
import type { Endpoint } from '../llm/bridge.ts'
import { findTree, isPresent } from '../projects/index.ts'
import { findProfile, keepCorrection } from '../providers/index.ts'
import { findRole } from '../roles/index.ts'
import type { Owner, ProjectRecord, ReachedProject, RolePlace, Store } from '../storage/index.ts'
import type { RunParts, StartRequest } from './control.ts'
import type { Resolved, RunProject, SmallModel } from './ticket.ts'

/**
 * Find model, chat and project of a request.
 *
 * Refuses: capability_denied, provider_not_configured, model_not_chosen, model_not_configured,
 * provider_key_missing, thing_unknown, input_invalid, project_unshared, project_missing.
 */
export async function resolve(parts: RunParts, request: StartRequest): Promise<Result<Resolved>> {
  const grants = parts.grants()
  if (!grants.ok) return grants
  const place = resolvePlace(parts, request)
  const answering = parts.fixtures ? ok(recorded) : resolveModel(parts, request, placeOf(place))
  if (!answering.ok) return answering
  if (!place.ok) return place
  const project = place.value.project === null ? ok(null) : await pinned(place.value.project)
  if (!project.ok) return project
  return ok({ grants: grants.value, ...answering.value, chatId: place.value.chatId, project: project.value })
}

interface Answering {
  readonly model: Run['model']
  readonly endpoint: Endpoint
  readonly fixture: boolean
  readonly small: SmallModel | null
}

/** What answers when recorded words were chosen for the whole server: no provider has to exist. */
const recorded: Answering = {
  model: { providerId: 'fixtures', modelId: 'demo', label: 'Recorded demo' },
  endpoint: { kind: 'demo', baseUrl: '', apiKey: null },
  fixture: true,
  small: null,
}

function resolveModel(parts: RunParts, request: StartRequest, place: RolePlace): Result<Answering> {
  const { store, bridge } = parts
  if (store.providers.list(request).length === 0) return refuse('provider_not_configured')
  const choice: ModelChoice | null = request.model ?? findRole(parts, request, { role: 'main', place })?.model ?? null
  if (!choice) return refuse('model_not_chosen')
  const provider = store.providers.get(request, choice.providerId)
  if (!provider) return refuse('thing_unknown', { kind: 'provider' })
  const { name, kind, baseUrl, fixture } = provider
  if (!provider.models.includes(choice.modelId)) return refuse('model_not_configured', { name, modelId: choice.modelId })
  if (bridge.needsKey(provider) && !provider.key.stored) return refuse('provider_key_missing', { name })
  const model = { ...choice, label: fixture ? 'Recorded demo' : `${name} / ${choice.modelId}` }
  const endpoint = endpointOf(parts, request, { kind, baseUrl, choice })
  return ok({ model, endpoint, fixture, small: fixture ? null : findSmall(parts, request, { place, main: choice }) })
}

/** Null where the model of the run does that work, too. */
function findSmall(
  parts: RunParts,
  owner: Owner,
  { place, main }: { readonly place: RolePlace; readonly main: ModelChoice },
): SmallModel | null {
  const found = findRole(parts, owner, { role: 'small', place })
  if (!found || found.from === 'main') return null
  const { model: choice } = found
  const provider = parts.store.providers.get(owner, choice.providerId)
  const same = choice.providerId === main.providerId && choice.modelId === main.modelId
  if (!provider || provider.fixture || same) return null
  const { kind, baseUrl } = provider
  return { choice, endpoint: endpointOf(parts, owner, { kind, baseUrl, choice }) }
}

interface Reached {
  readonly kind: string
  readonly baseUrl: string
  readonly choice: ModelChoice
}

function endpointOf({ store, clock }: RunParts, { userId }: Owner, { kind, baseUrl, choice }: Reached): Endpoint {
  const owner = { userId }
  const profile = findProfile(store, owner, choice)?.profile
  return {
    kind,
    baseUrl,
    apiKey: store.providers.keyOf(owner, choice.providerId),
    ...(profile ? { profile } : {}),
    onCorrected: (learned) => keepCorrection(store, owner, { model: choice, learned, at: clock.now() }),
  }
}

/** Where nothing was found no choice of a place counts; the refusal is told after those about the model. */
function placeOf(place: ReturnType<typeof resolvePlace>): RolePlace {
  return place.ok ? { chatId: place.value.chatId, projectId: place.value.project?.id ?? null } : { chatId: null, projectId: null }
}

/** The chat, if one was named, and the project: the chat's own, or the one named for this run. */
function resolvePlace(
  { store }: RunParts,
  request: StartRequest,
): Result<{ readonly chatId: string | null; readonly project: ProjectRecord | null }> {
  const chat = request.chatId === undefined ? null : store.chats.get(request, request.chatId)
  if (request.chatId !== undefined && !chat) return refuse('thing_unknown', { kind: 'chat' })
  const wanted = request.projectId ?? null
  const belongs = chat?.projectId ?? null
  if (wanted !== null && belongs !== null && wanted !== belongs) {
    return refuse('input_invalid', { problem: 'the chat belongs to another project' })
  }
  const chatId = chat?.id ?? null
  const projectId = belongs ?? wanted
  if (projectId === null) return ok({ chatId, project: null })
  const project = reachProject(store, request, { projectId, chat })
  return project.ok ? ok({ chatId, project: project.value }) : project
}

/**
 * The project, as long as it is the caller's or shared with them.
 *
 * Refuses: project_unshared when the caller's own chat still names it, and for everybody else
 * thing_unknown, as if it did not exist.
 */
export function reachProject(
  store: Pick<Store, 'projects'>,
  member: Owner,
  { projectId, chat }: { readonly projectId: string; readonly chat: Pick<Chat, 'projectId'> | null },
): Result<ReachedProject> {
  const project = store.projects.reach(member, projectId)
  if (project) return ok(project)
  return chat?.projectId === projectId ? refuse('project_unshared') : refuse('thing_unknown', { kind: 'project' })
}

/** The directory must be the one that was added, not another that stands in its place. */
async function pinned(project: ProjectRecord): Promise<Result<RunProject>> {
  if (!(await isPresent(project))) return refuse('project_missing', { path: project.path })
  const { id, name, path: root } = project
  return ok({ id, name, root, tree: await findTree(project) })
}
