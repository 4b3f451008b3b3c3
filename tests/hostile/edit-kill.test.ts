/**
 * An edit of several files is killed at each change that it makes on the disk (FS-13): the next start has
 * every file as before or as after, with its permissions, and no hidden one.
 *
 * BRIDLEWISE_DISK_POINTS=all tries every change; a number tries so many of them.
 */
import { chmodSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { recoverChanges } from '../../server/rewinds/index.ts'
import { editOnDisk } from '../support/editing-process.ts'
import { failingDisk, readDiskReport } from '../support/failing-disk.ts'
import { openRewindRoom, readTree } from '../support/rewind-room.ts'
import { addRun } from '../support/store.ts'

const points = process.env['BRIDLEWISE_DISK_POINTS'] ?? '6'
const notes = realpathSync(mkdtempSync(join(tmpdir(), 'bridlewise-edit-kill-')))

afterAll(() => rmSync(notes, { recursive: true, force: true }))

const before = { 'run.sh': 'echo one\n', 'in/b': 'b\n' }
const after = { 'run.sh': 'echo two\n', 'in/b': 'B\n', 'new/deep/c': 'c\n' }
const edits = [
  { kind: 'replace', path: 'run.sh', oldText: 'one', newText: 'two' },
  { kind: 'replace', path: 'in/b', oldText: 'b', newText: 'B' },
  { kind: 'create', path: 'new/deep/c', text: 'c\n' },
]

/** Edit on a disk that kills at the n-th change, start again, and tell what stands there. */
async function editAndStartAgain(at: number) {
  await using room = await openRewindRoom(before)
  const { temp, owner, root, parts } = room
  chmodSync(join(root, 'run.sh'), 0o750)
  const { chatId, runId } = addRun(temp.store, owner)
  const projectId = temp.store.projects.list(owner)[0]?.id ?? ''
  temp.store.close()
  const note = join(notes, `${at}`)
  const scope = { userId: owner.userId, chatId, runId, projectId }
  const environment = failingDisk(root, note, { at, error: 'kill', lasts: 'once' })
  const end = await editOnDisk({ homes: temp.homes, scope, root, edits }, environment)
  await temp.reopen()
  await recoverChanges(parts)
  const findings = temp.store.ledger
    .list(owner, { runId, limit: 50 })
    .items.flatMap((beat) => (beat.kind === 'finding' ? [beat.payload] : []))
  const { calls, hit } = readDiskReport(note)
  const unfinished = temp.store.changes.listUnfinished()
  return {
    end,
    calls,
    hit,
    tree: readTree(root),
    mode: statSync(join(root, 'run.sh')).mode & 0o777,
    findings,
    unfinished,
    faults: room.faults,
  }
}

describe('an edit of three files', () => {
  let calls = 0
  it('that nobody kills changes all of them', async () => {
    const whole = await editAndStartAgain(0)
    expect(whole).toMatchObject({ end: 'done', tree: after, mode: 0o750, findings: [], unfinished: [], faults: [] })
    calls = whole.calls
    expect(calls).toBeGreaterThan(15)
  })

  it('that is killed at any change is whole or was never made', { timeout: 600_000 }, async () => {
    const tries = points === 'all' ? calls : Math.min(calls, Number(points))
    for (let part = 0; part < tries; part += 1) {
      const at = 1 + Math.floor(((part + (points === 'all' ? 0 : Math.random())) * calls) / tries)
      const { hit, tree, ...rest } = await editAndStartAgain(at)
      const where = `killed at ${at} of ${calls}, ${hit}`
      expect(rest, where).toMatchObject({ end: 'killed', mode: 0o750, unfinished: [], faults: [] })
      const isWhole = JSON.stringify(tree) === JSON.stringify(after)
      expect(isWhole ? after : before, where).toEqual(tree)
      for (const { text } of rest.findings) expect(text, where).toMatch(/^Put back as before: [^.]+/)
    }
  })
})
