import { describe, expect, it } from 'vitest'
import { filterEntries } from './filter.ts'

const labels = ['New chat', 'Sync projects', 'Open timeline', 'Toggle theme', 'Stop the run']
const find = (typed: string) => filterEntries(labels, typed, (label) => label).map(({ entry }) => entry)

describe('filtering a list by letters', () => {
  it.each([
    ['', labels],
    ['nc', ['New chat', 'Sync projects']],
    ['theme', ['Toggle theme']],
    ['OT', ['Open timeline']],
    ['tog th', ['Toggle theme']],
    ['the run', ['Stop the run']],
    ['zz', []],
  ])('"%s" finds %j first', (typed, expected) => expect(find(typed).slice(0, expected.length || 1)).toEqual(expected))

  it('says which letters matched', () => {
    expect(filterEntries(labels, 'nc', (label) => label)[0]).toEqual({ entry: 'New chat', hits: [0, 4] })
  })
})
