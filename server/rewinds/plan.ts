/** What going back would do to each file, computed against the tree as it is now. Nothing is changed. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FileTrace, readLimit, type Workspace } from '@bridlewise/engine'
import { ok, type Result } from '@bridlewise/shared/refusals'
import type { FilePlan } from '@bridlewise/shared/wire'
import type { Owner } from '../storage/index.ts'
import type { RewindParts, RewindTarget } from './parts.ts'
import { findStretch, openPlace, type Stretch } from './stretch.ts'

export interface PlannedFile {
  readonly told: FilePlan
  readonly trace: FileTrace
  /** What it holds now; null when it is not there. */
  readonly present: { readonly bytes: Uint8Array; readonly digest: string; readonly mode: number } | null
}

export interface RewindPreview {
  readonly turns: number
  readonly files: FilePlan[]
  readonly unwatched: string[]
}

/** Files looked at between two turns of the event loop. */
const filesPerTurn = 32

/** Refuses: what `findStretch` and `openPlace` refuse, the latter only when a file was changed. */
export async function previewRewind(parts: RewindParts, owner: Owner, target: RewindTarget): Promise<Result<RewindPreview>> {
  const stretch = findStretch(parts, owner, target)
  if (!stretch.ok) return stretch
  const { turns, trace, projectId } = stretch.value
  const unwatched = [...trace.unwatched]
  if (trace.files.length === 0) return ok({ turns, files: [], unwatched })
  const place = await openPlace(parts, owner, projectId)
  if (!place.ok) return place
  const planned = await planFiles(parts, owner, { stretch: stretch.value, workspace: place.value.workspace })
  return ok({ turns, files: planned.map(({ told }) => told), unwatched })
}

export interface Planning {
  readonly stretch: Stretch
  readonly workspace: Workspace
}

export async function planFiles(parts: RewindParts, owner: Owner, { stretch, workspace }: Planning): Promise<PlannedFile[]> {
  const { chat, trace } = stretch
  const planned: PlannedFile[] = []
  for (const file of trace.files) {
    if (planned.length % filesPerTurn === filesPerTurn - 1) await nextTurn()
    planned.push(await planFile(parts, owner, { file, chatId: chat.id, workspace }))
  }
  return planned
}

interface OneFile {
  readonly file: FileTrace
  readonly chatId: string
  readonly workspace: Workspace
}

async function planFile({ store }: RewindParts, owner: Owner, { file, chatId, workspace }: OneFile): Promise<PlannedFile> {
  const { path, before, after, interrupted } = file
  const read = await workspace.read(path, readLimit)
  const present = read.ok ? read.value : null
  const now = present?.digest ?? null
  const plan = (word: FilePlan['plan'], reason = '', decidable = false): PlannedFile => ({
    told: { path, plan: word, reason, now, decidable },
    trace: file,
    present,
  })
  if (!read.ok && read.refusal.code !== 'path_missing') return plan('conflict', read.refusal.message)
  if (before === 'unknown') return plan('lost', 'Nobody had read it before the command that changed it.')
  if (now === before) return plan('same')
  if (before !== null && !store.versions.has(owner, chatId, before)) {
    return plan('lost', 'Its earlier content was over a bound, or was removed by retention.')
  }
  if (now !== after) {
    const words = now === null ? 'It was removed since.' : after === null ? 'It was made anew since.' : 'It was changed since.'
    return plan('conflict', words, true)
  }
  if (interrupted) return plan('conflict', 'Somebody else changed it between two changes of this chat.', true)
  return plan(before === null ? 'remove' : 'restore')
}
