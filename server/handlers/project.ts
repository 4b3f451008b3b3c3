import type { Clock, Ids } from '@bridlewise/engine'
import type { Handlers, Project, project } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Confinement } from '../confinement/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import {
  acceptDirectory,
  browseDirectories,
  copySample,
  endShare,
  isPresent,
  leaveProject,
  removeProject,
  type Sample,
  type SharingParts,
} from '../projects/index.ts'
import type { RunControl } from '../runs/index.ts'
import { keyOfName, type Owner, type ReachedProject, type Store } from '../storage/index.ts'

export interface ProjectParts {
  readonly store: Pick<Store, 'projects' | 'shares' | 'runs' | 'transaction'>
  readonly control: Pick<RunControl, 'cancel'>
  readonly sample: Sample & { readonly suggestedPrompt: string }
  readonly confinement: Pick<Confinement, 'checkRoot' | 'processPort'>
  /** Where browsing begins. */
  readonly userHome: string
  readonly clock: Clock
  readonly ids: Ids
}

export function createProjectHandlers(parts: ProjectParts): Handlers<typeof project, CallContext> {
  const { sample, clock, ids } = parts
  const { projects, shares } = parts.store
  const sharing: SharingParts = { store: parts.store, stopRun: parts.control.cancel }

  return {
    create: async (context, { name, path }) => {
      const created = await addProject(parts, callerOf(context), { name, path, demo: false })
      return created.ok ? ok({ project: await present(created.value) }) : created
    },
    createDemo: async (context) => {
      const path = await copySample(sample, parts.confinement.processPort(), context.signal)
      if (!path.ok) return path
      const name = path.value.slice(path.value.lastIndexOf('/') + 1)
      const created = await addProject(parts, callerOf(context), { name, path: path.value, demo: true })
      if (!created.ok) return created
      return ok({ project: await present(created.value), suggestedPrompt: sample.suggestedPrompt })
    },
    list: async (context) => ok({ projects: await Promise.all(projects.list(callerOf(context)).map(present)) }),
    browse: async (_context, { path }) => browseDirectories(path ?? parts.userHome),
    get: async (context, { projectId }) => {
      const reached = projects.reach(callerOf(context), projectId)
      return reached ? ok({ project: await present(reached) }) : refuse('thing_unknown', { kind: 'project' })
    },
    previewRemoval: async (context, { projectId }) => projects.contents(callerOf(context), projectId),
    remove: async (context, { projectId }) => {
      const removed = await removeProject(sharing, callerOf(context), projectId)
      return removed.ok ? ok({}) : removed
    },
    share: async (context, { projectId, username }) => {
      const caller = callerOf(context)
      if (keyOfName(username) === keyOfName(caller.username))
        return refuse('input_invalid', { problem: 'this is your own name, and the project is yours already' })
      const added = shares.add(caller, { id: ids.next('share'), projectId, username, createdAt: clock.now() })
      return added.ok ? ok({ share: added.value }) : added
    },
    listShares: async (context, { projectId }) => {
      const listed = shares.list(callerOf(context), projectId)
      return listed.ok ? ok({ shares: [...listed.value] }) : listed
    },
    unshare: async (context, share) => {
      const ended = await endShare(sharing, callerOf(context), share)
      return ended.ok ? ok({}) : ended
    },
    leave: async (context, { projectId }) => {
      const left = await leaveProject(sharing, callerOf(context), projectId)
      return left.ok ? ok({}) : left
    },
  }
}

async function addProject(
  parts: ProjectParts,
  owner: Owner,
  wanted: { readonly name: string; readonly path: string; readonly demo: boolean },
): Promise<Result<ReachedProject>> {
  const directory = await acceptDirectory(wanted.path, parts.confinement)
  if (!directory.ok) return directory
  const { name, demo } = wanted
  const created = parts.store.projects.create(owner, {
    id: parts.ids.next('project'),
    name,
    ...directory.value,
    demo,
    createdAt: parts.clock.now(),
  })
  return created.ok ? ok({ ...created.value, sharedBy: null, sharedWith: 0 }) : created
}

/** The pin stays inside: what goes out says whether it still holds. */
async function present(reached: ReachedProject): Promise<Project> {
  const { device: _, inode: __, ...shown } = reached
  return { ...shown, present: await isPresent(reached) }
}
