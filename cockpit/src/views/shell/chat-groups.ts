/** Chats under their projects, as the left pane lists them. */
import type { Chat, Project } from '@bridlewise/shared'

export interface ChatGroup {
  /** Null holds the chats that belong to no project, or to one that was removed. */
  readonly project: Project | null
  readonly chats: readonly Chat[]
}

/**
 * One group a project, the one with the newest chat first, projects without chats by name after
 * them. Chats keep the order they come in.
 */
export function groupChats(chats: readonly Chat[], projects: readonly Project[]): ChatGroup[] {
  const known = new Map(projects.map((project) => [project.id, project]))
  const groups = new Map<Project | null, Chat[]>()
  for (const chat of chats) {
    const project = known.get(chat.projectId ?? '') ?? null
    groups.set(project, [...(groups.get(project) ?? []), chat])
  }
  const used = [...groups].map(([project, members]) => ({ project, chats: members }))
  const unused = projects
    .filter((project) => !groups.has(project))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map((project) => ({ project, chats: [] }))
  return [...used, ...unused]
}
