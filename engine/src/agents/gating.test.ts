import { refuse } from '@bridlewise/shared/refusals'
import { describe, expect, it } from 'vitest'
import { type PlayedTurn, playTurn } from './test-turn.ts'

const good = { name: 'list_files', arguments: {} }

/** What the model read as the result of each call of its first answer. */
function readResults({ model }: PlayedTurn): string[] {
  return (model.requests[1]?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []))
}

describe('a call the gate stops', () => {
  it('is a blocker the model reads, and the good call beside it runs', async () => {
    await using turn = await playTurn({ answers: [{ calls: [{ name: 'frobnicate', arguments: {} }, good] }, { text: 'Done.' }] })
    expect(turn.beats.map(({ kind }) => kind)).toEqual([
      ...['request', 'response', 'blocked', 'call', 'result'],
      ...['request', 'response', 'message', 'claims'],
    ])
    const [blocked] = turn.payloads('blocked')
    expect(blocked?.refusal.code).toBe('tool_unknown')
    expect(readResults(turn)[0]).toBe(blocked?.refusal.message)
    expect(turn.outcome).toMatchObject({ kind: 'completed', calls: 2 })
  })

  it.each(['{}', '', 'null', '[]', '"x"', '{"command":'])('leaves the chat alive when the arguments are %j', async (raw) => {
    await using turn = await playTurn({
      answers: [{ calls: [{ name: 'execute_command', arguments: raw }] }, { calls: [good] }, { text: 'Done.' }],
    })
    expect(turn.payloads('blocked')).toHaveLength(1)
    expect(turn.payloads('result')).toMatchObject([{ status: 'done' }])
    expect(turn.outcome.kind).toBe('completed')
    const replayed = turn.model.requests[1]?.messages.find(({ role }) => role === 'assistant')
    expect(replayed).toMatchObject({ calls: [{ arguments: '{}' }] })
  })

  it('answers every call exactly once, in the order of the calls', async () => {
    await using turn = await playTurn({
      answers: [{ calls: [good, { name: 'nope', arguments: '{"a":' }, good] }, { text: 'Done.' }],
    })
    const messages = turn.model.requests[1]?.messages ?? []
    const asked = messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map(({ id }) => id) : []))
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
    expect(answered).toEqual(asked)
    expect(new Set(asked).size).toBe(3)
  })

  it('is not run again after the same call gave the same result twice', async () => {
    await using turn = await playTurn({ answers: [{ calls: [good] }, { calls: [good] }, { calls: [good] }, { text: 'Done.' }] })
    expect(turn.payloads('result')).toHaveLength(2)
    expect(turn.payloads('blocked')).toMatchObject([{ refusal: { code: 'tool_loop' } }])
  })

  it('can be repeated after an edit changed something', async () => {
    const edit = { name: 'edit', arguments: { edits: [{ path: 'b.txt', new: 'b' }] } }
    const search = { name: 'search_text', arguments: { pattern: 'never there' } }
    await using turn = await playTurn({
      answers: [{ calls: [search, search, edit, search] }, { text: 'Done.' }],
    })
    expect(turn.payloads('blocked')).toEqual([])
    expect(turn.payloads('result')).toHaveLength(4)
  })

  it('ends the run when nothing passes for many steps', async () => {
    const bad = (n: number) => ({ calls: [{ name: `ghost_${n}`, arguments: {} }] })
    await using turn = await playTurn({ answers: [1, 2, 3, 4].map(bad), input: { limits: { blockedSteps: 3 } } })
    expect(turn.outcome).toMatchObject({ kind: 'failed', refusal: { code: 'run_limit_reached' } })
    expect(turn.model.requests).toHaveLength(3)
  })

  it('ends the run at the limit of calls', async () => {
    await using turn = await playTurn({ answers: [{ calls: [good, good, good] }], input: { limits: { calls: 2 } } })
    expect(turn.outcome).toMatchObject({ kind: 'failed', calls: 2, refusal: { details: { limit: 2, unit: 'tool calls' } } })
    expect(turn.payloads('result')).toHaveLength(2)
  })
})

describe('approval', () => {
  const editControl = { calls: [{ name: 'edit', arguments: { edits: [{ path: '.envrc', new: 'x' }] } }] }
  const editPlain = { calls: [{ name: 'edit', arguments: { edits: [{ path: 'a.txt', new: 'x' }] } }] }
  const denies = { ask: async () => refuse('approval_denied', { effect: 'Edit .envrc', reason: 'nobody is there to ask' }) }

  it('is asked for a control file, and a no leaves nothing changed', async () => {
    await using turn = await playTurn({ answers: [editControl, { text: 'Done.' }], ports: { approvals: denies } })
    expect(turn.payloads('blocked')).toMatchObject([{ refusal: { code: 'approval_denied' } }])
    expect(turn.payloads('call')).toEqual([])
    expect(turn.outcome).toMatchObject({ kind: 'completed', filesChanged: [] })
  })

  it('is not asked for a plain file of the project', async () => {
    await using turn = await playTurn({ answers: [editPlain, { text: 'Done.' }], ports: { approvals: denies } })
    expect(turn.payloads('effect')).toMatchObject([{ effect: 'file', target: 'a.txt' }])
    expect(turn.outcome.filesChanged).toEqual(['a.txt'])
  })

  it('lets the call run when it is given, bound to a digest of the whole effect', async () => {
    const digests: string[] = []
    const allows = {
      ask: async ({ digest }: { readonly digest: string }) => {
        digests.push(digest)
        return { ok: true, value: 'allowed' } as const
      },
    }
    const other = { calls: [{ name: 'edit', arguments: { edits: [{ path: '.npmrc', new: 'x' }] } }] }
    await using turn = await playTurn({ answers: [editControl, other, { text: 'Done.' }], ports: { approvals: allows } })
    expect(turn.outcome.filesChanged).toEqual(['.envrc', '.npmrc'])
    expect(new Set(digests).size).toBe(2)
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/)
  })

  it('does not hold up a stop while nobody answers', async () => {
    let stop = () => {}
    const silent = {
      ask: () => {
        stop()
        return new Promise<never>(() => {})
      },
    }
    await using turn = await playTurn({
      answers: [editControl],
      ports: { approvals: silent },
      onEvent: (_event, abort) => {
        stop = abort
      },
    })
    expect(turn.outcome.kind).toBe('cancelled')
    expect(turn.payloads('call')).toEqual([])
  })
})
