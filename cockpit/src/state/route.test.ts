import { describe, expect, it } from 'vitest'
import { openBrowserStore } from '../client/index.ts'
import { createDrafts } from './drafts.ts'
import { formatRoute, parseRoute, type Route } from './route.ts'

describe('addresses', () => {
  it.each([
    ['#/chat/chat_1', { place: 'chat', chatId: 'chat_1' }],
    ['#/new', { place: 'new', projectId: null }],
    ['#/new/project_1', { place: 'new', projectId: 'project_1' }],
    ['#/code', { place: 'code' }],
    ['#/posture', { place: 'posture' }],
    ['#/diagnostics', { place: 'diagnostics' }],
    ['#/sent', { place: 'sent', runId: null }],
    ['#/sent/run_1', { place: 'sent', runId: 'run_1' }],
    ['#/block/weather', { place: 'block', blockId: 'weather' }],
  ] satisfies [string, Route][])('%s is read and written alike', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route)
    expect(formatRoute(route)).toBe(hash)
  })

  it.each(['', '#', '#/', '#/nowhere', '#/chat', '#/chat/', '#/chat/%E0%A4%A', '#/block'])('%o leads to a new chat', (hash) => {
    expect(parseRoute(hash)).toEqual({ place: 'new', projectId: null })
  })
})

describe('drafts', () => {
  it('are kept apart by chat and by project, and go when emptied', () => {
    const drafts = createDrafts(openBrowserStore(() => null))
    drafts.write({ chatId: 'chat_1' }, 'one')
    drafts.write({ newIn: null }, 'new')
    drafts.write({ newIn: 'project_1' }, 'new in a project')
    drafts.write({ chatId: 'chat_1' }, '')
    const places = [{ chatId: 'chat_1' }, { newIn: null }, { newIn: 'project_1' }]
    expect(places.map((place) => drafts.read(place))).toEqual(['', 'new', 'new in a project'])
  })
})
