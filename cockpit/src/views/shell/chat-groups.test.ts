import type { Chat, Project } from '@bridlewise/shared'
import { expect, it } from 'vitest'
import { groupChats } from './chat-groups.ts'

const project = (id: string) => ({ id, name: id }) as Project
const chat = (id: string, projectId: string | null) => ({ id, projectId }) as Chat
const shapeOf = (groups: ReturnType<typeof groupChats>) =>
  groups.map((group) => [group.project?.id ?? null, group.chats.map((member) => member.id)])

it('lists projects by their newest chat, then those without one by name', () => {
  const projects = ['zebra', 'api', 'web'].map(project)
  const chats = [chat('c1', 'web'), chat('c2', null), chat('c3', 'api'), chat('c4', 'web')]
  expect(shapeOf(groupChats(chats, projects))).toEqual([
    ['web', ['c1', 'c4']],
    [null, ['c2']],
    ['api', ['c3']],
    ['zebra', []],
  ])
})

it('keeps chats whose project was removed', () => {
  expect(shapeOf(groupChats([chat('c1', 'gone')], []))).toEqual([[null, ['c1']]])
})
