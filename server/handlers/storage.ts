import type { Handlers, storage } from '@bridlewise/shared'
import { ok } from '@bridlewise/shared/refusals'
import { type CallContext, callerOf } from '../projection/index.ts'
import type { Keeping, Sweeper } from '../retention/index.ts'
import type { RetentionBounds, Store } from '../storage/index.ts'

export interface StorageParts {
  readonly keeping: Keeping
  readonly sweeper: Pick<Sweeper, 'sweep'>
  readonly reclaim: Pick<Store['reclaim'], 'measure'>
}

const mebibyte = 2 ** 20
const toWire = ({ bytes, days }: RetentionBounds) => ({ mebibytes: Math.floor(bytes / mebibyte), days })
const inWords = (count: number) => count.toLocaleString('en-US')

export function createStorageHandlers({ keeping, sweeper, reclaim }: StorageParts): Handlers<typeof storage, CallContext> {
  return {
    get: async (context) => {
      const { kept, limits, most } = keeping.look(callerOf(context))
      return ok({
        kept: [
          { id: 'streams', title: 'Streams of ended runs, for replay', ...kept.streams },
          { id: 'results', title: 'Whole results of which a chat shows a part', ...kept.results },
          { id: 'versions', title: 'Contents of changed files, for rewinding', ...kept.versions },
        ],
        limits: toWire(limits),
        most: { ...toWire(most), text: `${inWords(toWire(most).mebibytes)} MiB, ${inWords(most.days)} days` },
      })
    },
    setLimits: async (context, { mebibytes, days }) => {
      const set = keeping.setLimits(callerOf(context), { bytes: mebibytes * mebibyte, days })
      return set.ok ? ok({}) : set
    },
    clean: async (context) => {
      const removed = await sweeper.sweep()
      return ok({ removed: removed.get(callerOf(context).userId) ?? { streams: 0, results: 0, versions: 0, bytes: 0 } })
    },
    measureFile: async () => {
      const { file, unused } = reclaim.measure()
      return ok({ file: { bytes: file, unusedBytes: unused } })
    },
    setBounds: async (context, { mebibytes, days }) => {
      const set = keeping.setBounds(callerOf(context), { bytes: mebibytes * mebibyte, days })
      return set.ok ? ok({}) : set
    },
  }
}
