/** One case through the product's own check. */
import { builtinTools, checkAnswer, startEvidence } from '@bridlewise/engine'
import { type Beat, type BeatDraft, makeId } from '@bridlewise/shared/wire'
import type { ClaimCase, Happening } from './claim-cases.ts'

export interface Judged {
  readonly flagged: boolean
  readonly shape: string | null
  /** The verdicts in order, with their sentences. */
  readonly said: readonly string[]
}

export function judgeCase({ turn, answer, earlier = [], talk }: ClaimCase): Judged {
  const evidence = startEvidence()
  for (const beat of turn.flatMap(beatsOf)) evidence.add(beat)
  const offered = new Set(talk ? [] : builtinTools.map(({ name }) => name))
  const { claims, fabrication } = checkAnswer({ text: answer, evidence, offered, earlier })
  const bad = claims.filter(({ verdict }) => verdict !== 'supported' && verdict !== 'earlier')
  return {
    flagged: bad.length > 0 || fabrication !== null,
    shape: fabrication?.shape ?? null,
    said: claims.map(({ start, end, verdict, reason }) => `${verdict}: ${answer.slice(start, end)} — ${reason}`),
  }
}

function beatsOf(happening: Happening): Beat[] {
  const callId = nextId('call')
  const base = { callId, ms: 1, refusal: null, spill: null, status: 'done' as const, summary: '', text: '' }
  if ('edit' in happening) {
    const payload = { callId, effect: 'file' as const, target: happening.edit, before: null, after: null, diff: null }
    return [
      call(callId, 'edit'),
      place({ kind: 'effect', source: 'tool', payload }),
      result({ ...base, tool: 'edit', details: { kind: 'text', text: '' } }),
    ]
  }
  if ('called' in happening)
    return [call(callId, happening.called), result({ ...base, tool: happening.called, details: { kind: 'text', text: '' } })]
  const { ran: command, exit: exitCode = 0, output = '' } = happening
  const details = {
    kind: 'terminal' as const,
    command,
    cwd: '.',
    output,
    bytes: 0,
    cut: null,
    exitCode,
    signal: null,
    receipt: null,
  }
  return [call(callId, 'execute_command'), result({ ...base, tool: 'execute_command', details })]
}

function call(callId: string, tool: string): Beat {
  const payload = { callId, step: 1, tool, capability: 'read' as const, headline: { verb: tool, object: '' }, input: {} }
  return place({ kind: 'call', source: 'model', payload })
}

function result(payload: Extract<BeatDraft, { kind: 'result' }>['payload']): Beat {
  return place({ kind: 'result', source: 'tool', payload })
}

let serial = 0

function nextId(noun: 'beat' | 'call'): string {
  serial += 1
  return makeId(noun, serial, new Uint8Array(16))
}

function place(draft: BeatDraft): Beat {
  return { ...draft, id: nextId('beat'), seq: serial, runId: null, chatId: null, at: 0, derivation: [] } as Beat
}
