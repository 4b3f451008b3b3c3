/** What a model may ask for that no tool can do: it is blocked before anything runs, said so, and the run goes on. */
import type { Frame } from '@bridlewise/shared/wire'
import { describe, expect, it } from 'vitest'
import { endOf, exited, mustOk, openRunHouse } from '../support/run-room.ts'
import { answersWith, calls, finishes, says, streams } from '../support/script.ts'

const MB = 1024 * 1024
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** One answer with this call, exactly as spelled, then a last word. */
function asks(name: string, raw: string) {
  const delta = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: raw } }] }
  return [streams([{ type: 'delta', delta }, finishes('tool_calls')]), answersWith('As you say.')]
}

const blockedIn = (frames: readonly Frame[]) =>
  frames.flatMap((frame) => (frame.kind === 'beat' && frame.beat.kind === 'blocked' ? [frame.beat.payload] : []))

const open = (steps: ReturnType<typeof asks>) => {
  const ran: (readonly string[])[] = []
  const runProcess = async ({ argv }: { readonly argv: readonly string[] }) => {
    ran.push(argv)
    return exited('done')
  }
  return openRunHouse(steps, { runProcess }).then((house) => ({ house, ran }))
}

describe('a call', () => {
  it('that is in order runs', async () => {
    const opened = await open(asks('execute_command', '{"command":"make"}'))
    await using house = opened.house
    const { room } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    const frames = await room.watch(run.id)
    expect(endOf(frames)).toMatchObject({ status: 'completed', outcome: { calls: 1 } })
    expect(opened.ran).toHaveLength(1)
    expect(blockedIn(frames)).toEqual([])
  })

  it.each([
    ['a tool that there is not', 'sudo', '{"command":"make"}', 'tool_unknown'],
    ['a tool in another spelling', 'Execute_Command', '{"command":"make"}', 'tool_unknown'],
    ['a tool spelled with a letter that looks alike', 'ехecute_command', '{"command":"make"}', 'tool_unknown'],
    ['a tool with a space behind its name', 'execute_command ', '{"command":"make"}', 'tool_unknown'],
    ['a member of every object', 'constructor', '{"command":"make"}', 'tool_unknown'],
    ['a property that no tool has', 'execute_command', '{"command":"make","sudo":true}', 'tool_input_invalid'],
    ['a directory outside, by a property of its own', 'execute_command', '{"command":"make","cwd":"/"}', 'tool_input_invalid'],
    [
      'a property by which objects inherit',
      'execute_command',
      '{"command":"make","__proto__":{"cwd":"/"}}',
      'tool_input_invalid',
    ],
    ['a list for a text', 'execute_command', '{"command":["rm","-rf","."]}', 'tool_input_invalid'],
    ['nothing for a text', 'execute_command', '{"command":null}', 'tool_input_invalid'],
    ['a list for an object', 'execute_command', '["make"]', 'tool_input_invalid'],
    ['a text for a number', 'read_file', '{"path":"a.txt","from":"1"}', 'tool_input_invalid'],
    ['a number beyond all numbers', 'read_file', '{"path":"a.txt","from":1e400}', 'tool_input_invalid'],
    ['a text for a yes', 'search_text', '{"pattern":"a","regex":"true"}', 'tool_input_invalid'],
    ['what is no JSON', 'execute_command', '{"command":"make"} && rm', 'tool_input_invalid'],
    ['a number that JSON does not have', 'read_file', '{"path":"a.txt","from":NaN}', 'tool_input_invalid'],
    ['a hundred thousand objects in each other', 'execute_command', nested(100_000), 'tool_input_invalid'],
  ])('for %s is blocked, and the run goes on', async (_what, name, raw, code) => {
    const opened = await open(asks(name, raw))
    await using house = opened.house
    const { room, endpoint } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    const frames = await room.watch(run.id)
    expect(blockedIn(frames).map(({ refusal }) => refusal.code)).toEqual([code])
    expect(endOf(frames)).toMatchObject({ status: 'completed', outcome: { steps: 2 } })
    expect(opened.ran).toEqual([])
    // The model hears why, and the endpoint gets a pair that it accepts.
    const sent = endpoint.received[1]?.body?.messages ?? []
    expect(sent.at(-1)).toMatchObject({ role: 'tool', tool_call_id: sent.at(-2)?.tool_calls?.[0]?.id })
    expect(() => JSON.parse(sent.at(-2)?.tool_calls?.[0]?.function.arguments ?? '')).not.toThrow()
    expect(room.faults).toEqual([])
  })

  it('with five million characters is not run, and the run ends in words', async () => {
    const long = { command: `true ${'x'.repeat(5 * MB)}` }
    const opened = await open([
      streams([calls('execute_command', long, { pieceLength: 65_536 }), finishes('tool_calls')]),
      answersWith('As you say.'),
    ])
    await using house = opened.house
    const { room } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id }))
    const end = endOf(await room.watch(run.id))
    expect(end).toMatchObject({ status: 'failed', outcome: { refusal: { code: 'answer_too_large' } } })
    expect(opened.ran).toEqual([])
    expect(room.faults).toEqual([])
  })

  it('of a plan is blocked where it would change something', async () => {
    const opened = await open([
      streams([says('I only look.'), calls('edit', { edits: [{ path: 'a.txt', new: 'b' }] }), finishes('tool_calls')]),
      answersWith('Then not.'),
    ])
    await using house = opened.house
    const { room } = house
    const run = mustOk(await room.start({ projectId: (await room.addProject()).id, mode: 'plan' }))
    const frames = await room.watch(run.id)
    expect(blockedIn(frames).map(({ refusal }) => refusal.code)).toEqual(['tool_not_in_mode'])
    expect(opened.ran).toEqual([])
  })
})
