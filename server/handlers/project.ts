import type { Clock, Ids } from '@bridlewise/engine'
import type { Handlers, Project, project } from '@bridlewise/shared'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Confinement } from '../confinement/index.ts'
import { type CallContext, callerOf } from '../projection/index.ts'
import { acceptDirectory, browseDirectories, copySample, isPresent, type Sample } from '../projects/index.ts'
import type { Owner, ProjectRecord, Projects } from '../storage/index.ts'

export interface ProjectParts {
  readonly projects: Projects
  readonly sample: Sample & { readonly suggestedPrompt: string }
  readonly confinement: Pick<Confinement, 'checkRoot' | 'processPort'>
  /** Where browsing begins. */
  readonly userHome: string
  readonly clock: Clock
  readonly ids: Ids
}

export function createProjectHandlers(parts: ProjectParts): Handlers<typeof project, CallContext> {
  const { projects, sample } = parts
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
      const record = projects.get(callerOf(context), projectId)
      return record ? ok({ project: await present(record) }) : refuse('thing_unknown', { kind: 'project' })
    },
    remove: async (context, { projectId }) => {
      const removed = projects.remove(callerOf(context), projectId)
      return removed.ok ? ok({}) : removed
    },
  }
}

async function addProject(
  parts: ProjectParts,
  owner: Owner,
  wanted: { readonly name: string; readonly path: string; readonly demo: boolean },
): Promise<Result<ProjectRecord>> {
  const directory = await acceptDirectory(wanted.path, parts.confinement)
  if (!directory.ok) return directory
  const { name, demo } = wanted
  return parts.projects.create(owner, {
    id: parts.ids.next('project'),
    name,
    ...directory.value,
    demo,
    createdAt: parts.clock.now(),
  })
}

/** The pin stays inside: what goes out says whether it still holds. */
async function present(record: ProjectRecord): Promise<Project> {
  const { id, name, path, demo, createdAt } = record
  return { id, name, path, demo, createdAt, present: await isPresent(record) }
}
