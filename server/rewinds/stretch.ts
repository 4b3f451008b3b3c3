/** The stretch of a chat's record that is gone back over, and the project whose files it changed. */
import { findRetractions, openWorkspace, type Trace, traceFiles, type Workspace } from '@bridlewise/engine'
import type { Chat } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Beat } from '@bridlewise/shared/wire'
import { findTree, isPresent } from '../projects/index.ts'
import type { Owner, ProjectRecord, Tree } from '../storage/index.ts'
import type { RewindParts, RewindTarget } from './parts.ts'

export interface Stretch {
  readonly chat: Chat
  /** Place of the first entry that is gone back over. */
  readonly to: number
  /** Runs in it whose words stand. */
  readonly turns: number
  readonly trace: Trace
  /** Where its files are; null when it changed none and the chat has no project. */
  readonly projectId: string | null
}

/** Refuses: thing_unknown, project_needed when its runs worked in several projects. */
export function findStretch({ store }: RewindParts, owner: Owner, { chatId, target }: RewindTarget): Result<Stretch> {
  const chat = store.chats.get(owner, chatId)
  if (!chat) return refuse('thing_unknown', { kind: 'chat' })
  const rewinds = store.rewinds.list(owner, chatId)
  const run = store.runs.get(owner, target)
  const to = run?.chatId === chatId ? store.ledger.startOf(owner, run.id) : (rewinds.find(({ id }) => id === target)?.seq ?? null)
  if (to === null) return refuse('thing_unknown', { kind: 'turn' })
  const beats = readBeats({ store }, owner, { chatId, from: to })
  const trace = traceFiles(beats)
  const runIds = new Set(beats.flatMap(({ runId }) => runId ?? []))
  const project = chat.projectId === null ? findProject({ store }, owner, beats) : ok(chat.projectId)
  if (!project.ok) return project
  const retractions = findRetractions(rewinds)
  const turns = [...runIds].filter((id) => {
    const seq = store.ledger.startOf(owner, id) ?? 0
    return !retractions.some(({ from, until }) => seq >= from && seq < until)
  }).length
  return ok({ chat, to, turns, trace, projectId: project.value })
}

function readBeats(
  { store }: Pick<RewindParts, 'store'>,
  owner: Owner,
  { chatId, from }: { readonly chatId: string; readonly from: number },
): Beat[] {
  const beats: Beat[] = []
  for (let after: string | undefined = String(from - 1); ; ) {
    const page = store.ledger.list(owner, { chatId, after, limit: 500 })
    beats.push(...page.items)
    if (page.next === undefined) return beats
    after = page.next
  }
}

/** A chat without a project may have had runs in one. */
function findProject({ store }: Pick<RewindParts, 'store'>, owner: Owner, beats: readonly Beat[]): Result<string | null> {
  const changing = new Set(beats.flatMap((beat) => (beat.kind === 'effect' && beat.runId !== null ? [beat.runId] : [])))
  const places = new Set([...changing].flatMap((runId) => store.runs.get(owner, runId)?.projectId ?? []))
  return places.size > 1 ? refuse('project_needed') : ok([...places][0] ?? null)
}

export interface Place {
  readonly project: ProjectRecord
  readonly workspace: Workspace
  readonly tree: Tree
}

/**
 * Open the project of a stretch, for whoever may still work in it.
 *
 * Refuses: project_needed, project_unshared, project_missing.
 */
export async function openPlace(
  { store }: Pick<RewindParts, 'store'>,
  owner: Owner,
  projectId: string | null,
): Promise<Result<Place>> {
  if (projectId === null) return refuse('project_needed')
  const project = store.projects.reach(owner, projectId)
  if (!project) return refuse('project_unshared')
  if (!(await isPresent(project))) return refuse('project_missing', { path: project.path })
  const workspace = await openWorkspace(project.path)
  if (!workspace.ok) return refuse('project_missing', { path: project.path })
  return ok({ project, workspace: workspace.value, tree: await findTree(project) })
}
