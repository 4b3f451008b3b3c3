import { describe, expect, it } from 'vitest'
import { nothingKept } from '../kernel/index.ts'
import { createVersionLog } from './version-log.ts'

/** What is kept after some changes, each written as `path before after`; `-` is a file that is not there. */
async function keptAfter(...changes: readonly string[]): Promise<string[]> {
  const kept = new Set<string>(['older'])
  const log = createVersionLog({
    keep: async ({ digest }) => {
      if (kept.has(digest)) return 'known'
      kept.add(digest)
      return 'new'
    },
    drop: async (digest) => void kept.delete(digest),
    begin: nothingKept.begin,
  })
  const bytes = new Uint8Array()
  for (const change of changes) {
    const [path = '', before = '', after = ''] = change.split(' ')
    if (before !== '-') await log.before({ path, digest: before, bytes })
    if (after === '-') await log.gone(path)
    else await log.after({ path, digest: after, bytes })
  }
  return [...kept].filter((digest) => digest !== 'older').sort()
}

describe('what a run keeps of the files it changes', () => {
  it.each([
    ['the first content and the last, however often a file changes', ['a 0 1', 'a 1 2', 'a 2 3'], ['0', '3']],
    ['the last alone of a file that the run made', ['a - 1', 'a 1 2'], ['2']],
    ['the first alone of a file that the run took away', ['a 0 1', 'a 1 -'], ['0']],
    ['a content that is the first of another file, though its own file left it', ['a - 1', 'b 1 2', 'a 1 3'], ['1', '2', '3']],
    ['a content that another file still ends in', ['a - 1', 'b - 1', 'a 1 2'], ['1', '2']],
    ['nothing twice', ['a 0 1', 'b 0 1'], ['0', '1']],
  ])('is %s', async (_title, changes, kept) => {
    expect(await keptAfter(...changes)).toEqual(kept)
  })

  it('never lets go of what an earlier run kept', async () => {
    expect(await keptAfter('a 0 older', 'a older 2')).toEqual(['0', '2'])
  })
})
