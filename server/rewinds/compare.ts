/** One file three ways: what the run did to it, what happened to it since, and what going back would do. */
import { diffTexts, readLimit, viewText } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { FileDiff } from '@bridlewise/shared/wire'
import type { Owner } from '../storage/index.ts'
import type { RewindParts, RewindTarget } from './parts.ts'
import { findStretch, openPlace } from './stretch.ts'

export interface Comparison {
  readonly run: FileDiff | null
  readonly since: FileDiff | null
  readonly back: FileDiff | null
}

/** A content as text; null for a file that is not there, and undefined where it cannot be shown. */
type Side = string | null | undefined

/** Refuses: thing_unknown when the stretch did not change the file, and what leads to it refuses. */
export async function compareRewind(
  parts: RewindParts,
  owner: Owner,
  { path, ...target }: RewindTarget & { readonly path: string },
): Promise<Result<Comparison>> {
  const stretch = findStretch(parts, owner, target)
  if (!stretch.ok) return stretch
  const file = stretch.value.trace.files.find((traced) => traced.path === path)
  if (!file) return refuse('thing_unknown', { kind: 'file' })
  const place = await openPlace(parts, owner, stretch.value.projectId)
  if (!place.ok) return place
  const kept = (digest: string | null | 'unknown'): Side => {
    if (digest === null) return null
    const bytes = digest === 'unknown' ? null : parts.store.versions.get(owner, target.chatId, digest)
    return bytes === null ? undefined : toText(bytes)
  }
  const read = await place.value.workspace.read(path, readLimit)
  const now: Side = read.ok ? toText(read.value.bytes) : read.refusal.code === 'path_missing' ? null : undefined
  const [before, after] = [kept(file.before), kept(file.after)]
  return ok({ run: diff(path, before, after), since: diff(path, after, now), back: diff(path, now, before) })
}

function toText(bytes: Uint8Array): Side {
  return viewText(bytes)?.text
}

function diff(path: string, from: Side, into: Side): FileDiff | null {
  if (from === undefined || into === undefined || (from === null && into === null)) return null
  return diffTexts(path, from, into)
}
