/** Going back, start to end: plan against the tree, change the files as one transaction, record it in its middle. */
import { diffTexts, type Grants, restoreFiles, viewText, type Workspace } from '@bridlewise/engine'
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { BeatDraft, FilePlan } from '@bridlewise/shared/wire'
import { type FileJournal, type Owner, type RewindRecord, tagOf } from '../storage/index.ts'
import type { RewindParts, RewindRequest } from './parts.ts'
import { type PlannedFile, planFiles } from './plan.ts'
import { findStretch, openPlace, type Place, type Stretch } from './stretch.ts'

export interface Rewound {
  readonly record: RewindRecord
  readonly files: FilePlan[]
}

/** New bytes that one rewind may keep of what it replaces. */
const keptBytes = 128 * 1024 * 1024
/** Effects that are recorded with their difference. */
const diffs = 50

/**
 * Go back to before a run or a rewind.
 *
 * Contract: files, ledger and journal end as before or as after, whatever happens in between; nothing
 * is overwritten or removed whose content was not kept before. A file that is not what the chat left
 * stays, unless the person decided about exactly what stands there now.
 * Refuses: see the operation `chat.rewind`.
 */
export async function rewindChat(parts: RewindParts, owner: Owner, request: RewindRequest): Promise<Result<Rewound>> {
  const stretch = findStretch(parts, owner, request)
  if (!stretch.ok) return stretch
  if (stretch.value.chat.activeRunId) return refuse('chat_busy')
  const id = parts.ids.next('rewind')
  if (request.mode === 'conversation' || stretch.value.trace.files.length === 0) {
    if (request.mode === 'files') return refuse('rewind_empty')
    return recordWords(parts, owner, { id, request, stretch: stretch.value })
  }
  const grants = parts.grants()
  if (!grants.ok) return grants
  const place = await openPlace(parts, owner, stretch.value.projectId)
  if (!place.ok) return place
  const { tree } = place.value
  const taken = parts.store.leases.take(owner, tree, { runId: id, at: parts.clock.now() })
  if (!taken.ok) return taken
  try {
    const rewinding = { id, request, stretch: stretch.value, place: place.value, grants: grants.value }
    return await changeFiles(parts, owner, rewinding)
  } finally {
    parts.store.leases.release(id)
  }
}

interface Words {
  readonly id: string
  readonly request: RewindRequest
  readonly stretch: Stretch
}

function recordWords(parts: RewindParts, owner: Owner, words: Words): Result<Rewound> {
  const recorded = writeRecord(parts, owner, { ...words, changed: [], kept: 0 })
  return recorded.ok ? ok({ record: recorded.value, files: [] }) : recorded
}

interface Rewinding extends Words {
  readonly place: Place
  readonly grants: Grants
}

async function changeFiles(parts: RewindParts, owner: Owner, rewinding: Rewinding): Promise<Result<Rewound>> {
  const { id, request, stretch, place, grants } = rewinding
  const planned = await planFiles(parts, owner, { stretch, workspace: place.workspace })
  const wanted = planned.filter((file) => isWanted(file, request))
  const changed = wanted.filter(keepPresent(parts, owner, stretch.chat.id))
  const stays = (file: PlannedFile) => file.told.plan !== 'same' && !changed.includes(file)
  const kept = planned.filter(stays).length
  if (changed.length === 0 && request.mode === 'files') return refuse('rewind_empty')
  const files = planned.map((file) => (changed.includes(file) ? { ...file.told, ...doneAs(file) } : file.told))
  const journal: FileJournal = { projectId: place.project.id, files: changed.map(toEntry) }
  parts.store.rewinds.open(owner, { id, chatId: stretch.chat.id, journal, at: parts.clock.now() })
  let record: RewindRecord | null = null
  const restored = await restoreFiles(
    { workspace: place.workspace, grants },
    {
      files: changed.map((file) => toRequest(parts, owner, { file, chatId: stretch.chat.id, id })),
      record: async () => {
        const written = writeRecord(parts, owner, { ...rewinding, changed, kept })
        if (written.ok) record = written.value
        return written
      },
    },
  )
  parts.store.rewinds.close(id)
  if (!restored.ok) return restored
  if (record === null) throw new Error('files were changed and nothing recorded it')
  return ok({ record, files })
}

function isWanted({ told }: PlannedFile, { decided }: RewindRequest): boolean {
  if (told.plan === 'restore' || told.plan === 'remove') return true
  return told.decidable && decided.some(({ path, seen }) => path === told.path && seen === told.now)
}

/** Nothing goes that could not come back: what a file holds now is kept first. */
function keepPresent({ store, clock }: RewindParts, owner: Owner, chatId: string): (file: PlannedFile) => boolean {
  let room = keptBytes
  return ({ present }) => {
    if (present === null || store.versions.has(owner, chatId, present.digest)) return true
    room -= present.bytes.byteLength
    if (room < 0) return false
    store.versions.put(owner, { chatId, digest: present.digest, bytes: present.bytes, createdAt: clock.now() })
    return true
  }
}

function doneAs({ trace }: PlannedFile): Pick<FilePlan, 'plan' | 'reason' | 'decidable'> {
  return { plan: trace.before === null ? 'remove' : 'restore', reason: '', decidable: false }
}

function toEntry({ trace, present }: PlannedFile): FileJournal['files'][number] {
  const becomes = trace.before === 'unknown' ? null : trace.before
  return { path: trace.path, was: present?.digest ?? null, becomes, mode: present?.mode ?? trace.mode }
}

interface OneFile {
  readonly file: PlannedFile
  readonly chatId: string
  readonly id: string
}

function toRequest({ store }: RewindParts, owner: Owner, { file, chatId, id }: OneFile) {
  const { path, was, becomes } = toEntry(file)
  const bytes = becomes === null ? null : store.versions.get(owner, chatId, becomes)
  if (becomes !== null && bytes === null) throw new Error('a content that was there a moment ago is gone')
  return { path, bytes, replaces: was, mode: file.trace.mode ?? undefined, tag: tagOf(id) }
}

interface Recording extends Words {
  readonly changed: readonly PlannedFile[]
  readonly kept: number
  readonly place?: { readonly workspace: Workspace }
}

/**
 * One commit: the rewind, what it did to each file, and what the screen folds.
 *
 * Refuses: chat_busy when a run began meanwhile, thing_unknown when the chat is gone.
 */
function writeRecord({ store, clock }: RewindParts, owner: Owner, recording: Recording): Result<RewindRecord> {
  const { id, request, stretch, changed, kept } = recording
  const chatId = stretch.chat.id
  return store.transaction(() => {
    const chat = store.chats.get(owner, chatId)
    if (!chat) return refuse('thing_unknown', { kind: 'chat' })
    if (chat.activeRunId) return refuse('chat_busy')
    const removed = changed.filter(({ trace }) => trace.before === null).length
    const files = { restored: changed.length - removed, removed, kept }
    const retracts = request.mode !== 'files'
    const { to } = stretch
    const scope = { userId: owner.userId, runId: null, chatId }
    const payload = { rewindId: id, mode: request.mode, to, retracts, files }
    const beat = store.ledger.write(scope, { kind: 'rewind', payload, source: 'user' })
    for (const [at, file] of changed.entries())
      store.ledger.write(scope, effectOf(file, { cause: beat.id, withDiff: at < diffs }))
    const at = clock.now()
    const record = { id, mode: request.mode, seq: beat.seq, to, retracts, ...files, at }
    store.rewinds.record(owner, chatId, record)
    store.chats.touch(owner, chatId, at)
    return ok(record)
  })
}

function effectOf(file: PlannedFile, { cause, withDiff }: { readonly cause: string; readonly withDiff: boolean }): BeatDraft {
  const { path, was, becomes } = toEntry(file)
  const change = was === null ? 'created' : becomes === null ? 'deleted' : 'modified'
  const present = file.present && viewText(file.present.bytes)
  const diff = withDiff && becomes === null && present ? diffTexts(path, present.text, null) : null
  return {
    kind: 'effect',
    source: 'user',
    derivation: [cause],
    payload: {
      callId: null,
      effect: 'file',
      target: path,
      before: was,
      after: becomes,
      diff,
      change,
      mode: file.present?.mode ?? null,
    },
  }
}
