import type { Beat, BeatKind, BeatPayload } from '@bridlewise/shared/wire'
import { expect, it } from 'vitest'
import { describeBeat } from './beat-words.ts'

function beatOf<K extends BeatKind>(kind: K, payload: BeatPayload<K>): Beat {
  return { id: 'b', seq: 1, runId: null, chatId: null, at: 0, source: 'server', derivation: [], kind, payload } as Beat
}

const egress = { endpoint: 'https://e/v1', modelId: 'm', bytes: 4400, digest: 'd', messages: 1, tools: 1, redactions: {} }
const headline = { verb: 'run', object: 'npm test' }

it.each([
  [beatOf('message', { messageId: 'm', role: 'user', text: ' two\n  lines ' }), 'task', 'two lines', '13 characters'],
  [beatOf('request', { step: 2, egress: { ...egress, fixture: false } }), 'request 2', 'https://e/v1', '4.4 kB'],
  [beatOf('request', { step: 1, egress: { ...egress, fixture: true } }), 'request 1', 'https://e/v1', 'nothing sent'],
  [
    beatOf('held', { step: 2, answer: 'stop', endpoint: 'https://e/v1', bytes: 4400, digest: 'd', ms: 9 }),
    'look at 2',
    'https://e/v1',
    '4.4 kB',
  ],
  [beatOf('unknown', { callId: 'c', tool: 't', headline }), 'run', 'npm test', ''],
])('tells an entry in a verb, an object and a result (%#)', (beat, verb, object, result) => {
  expect(describeBeat(beat)).toMatchObject({ verb, object, result })
})

it('shortens a long message and keeps its size', () => {
  const words = describeBeat(beatOf('message', { messageId: 'm', role: 'assistant', text: 'x'.repeat(5000) }))
  expect(words.object.length).toBeLessThan(200)
  expect(words.result).toBe('5,000 characters')
})
