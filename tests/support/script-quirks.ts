/**
 * What endpoints do that the protocol does not say, each as a script with the transcript it must come
 * to. A quirk that is met in the field is added here, and nowhere else.
 */
import { answers, calls, finishes, type Part, type Step, says, streams, thinks, uses } from './script.ts'

export interface Quirk {
  readonly name: string
  readonly step: Step
  readonly transcript: Transcript
}

/** What an answer comes to, however it was sent. */
export interface Transcript {
  readonly text: string
  readonly reasoning?: string
  /** Name, arguments, and what the vendor added. */
  readonly calls?: readonly (readonly [string, string] | readonly [string, string, unknown])[]
  /** Input, output, cached; absent for unknown. */
  readonly usage?: readonly [number, number, number]
  /** Why it ended: the finish, or the code of a refusal. */
  readonly end: string
}

const words = 'Grüße, 世界 🐎'
const said: Part = says('Grüße, ', '世界 ', '🐎')
const path = '{"path":"ä/世.ts"}'
const delta = (fields: unknown): Part => ({ type: 'delta', delta: fields })
const event = (data: unknown): Part => ({ type: 'event', data })
const raw = (text: string | Uint8Array): Part => ({ type: 'raw', text })
const fragment = (fields: unknown): Part => delta({ tool_calls: [fields] })
const choice = (fields: object): Part => event({ choices: [{ index: 0, ...fields }] })

const quirk = (name: string, parts: readonly Part[], transcript: Partial<Transcript>): Quirk => ({
  name,
  step: streams(parts),
  transcript: { text: words, end: 'stop', ...transcript },
})
/** A quirk without the closing event of the protocol. */
const cutOff = (name: string, parts: readonly Part[], transcript: Partial<Transcript>): Quirk => ({
  name,
  step: streams(parts, { dialect: { done: false } }),
  transcript: { text: words, end: 'endpoint_broke_off', ...transcript },
})

const words28: readonly Quirk[] = [
  quirk(
    'content is absent, null or empty',
    [delta({ role: 'assistant' }), delta({ content: null }), said, delta({ content: '' }), finishes('stop')],
    {},
  ),
  quirk('content comes in parts', [delta({ content: [{ type: 'text', text: words }] }), finishes('stop')], {}),
  quirk(
    'thoughts are parts of the content',
    [delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm世' }] }] }), said, finishes('stop')],
    { reasoning: 'Hm世' },
  ),
  quirk('thoughts have a field of their own', [thinks(['Hm', '世']), said, finishes('stop')], { reasoning: 'Hm世' }),
  quirk('thoughts have another field', [thinks(['Hm', '世'], 'reasoning'), said, finishes('stop')], { reasoning: 'Hm世' }),
  quirk('thoughts come under both names', [delta({ reasoning: 'Hm', reasoning_content: 'Hm' }), said, finishes('stop')], {
    reasoning: 'Hm',
  }),
  quirk('a refusal stands beside the content', [delta({ refusal: words }), finishes('stop')], {}),
  quirk(
    'a character comes in halves',
    [delta({ content: 'Grüße, 世界 \ud83d' }), delta({ content: '\udc0e' }), finishes('stop')],
    {},
  ),
  quirk('another choice speaks, too', [event({ choices: [{ index: 1, delta: { content: 'no' } }] }), said, finishes('stop')], {}),
  quirk('a filter reports before anything', [event({ choices: [], prompt_filter_results: [{}] }), said, finishes('stop')], {}),
  quirk('pings are events', [event({ type: 'ping' }), said, raw('event: ping\ndata: {}\n\n'), finishes('stop')], {}),
  quirk('nothing is finished but the stream', [said], {}),
  cutOff('a reason and no [DONE]', [said, finishes('stop')], { end: 'stop' }),
  cutOff(
    'a byte order mark, comments and empty lines',
    [raw('\ufeff\n\n: hello\n\n'), said, { type: 'comment', text: 'ping' }, finishes('stop')],
    { end: 'stop' },
  ),
]

const usage28: readonly Quirk[] = [
  quirk('usage is missing', [said, finishes('stop')], {}),
  quirk('usage comes early', [uses(7, 3), said, finishes('stop')], { usage: [7, 3, 0] }),
  quirk(
    'usage comes after the finish, without choices',
    [said, finishes('stop'), { type: 'usage', usage: { prompt_tokens: 7, completion_tokens: 3 }, choices: 'absent' }],
    { usage: [7, 3, 0] },
  ),
  quirk(
    'usage grows on every chunk',
    [1, 2, 3]
      .map(
        (count): Part =>
          event({
            choices: [{ index: 0, delta: { content: ['', 'Grüße, ', '世界 ', '🐎'][count] } }],
            usage: { prompt_tokens: 7, completion_tokens: count },
          }),
      )
      .concat(finishes('stop')),
    { usage: [7, 3, 0] },
  ),
  quirk(
    'usage is null until it is not',
    [event({ choices: [{ index: 0, delta: { content: words } }], usage: null }), finishes('stop'), uses(7, 3)],
    { usage: [7, 3, 0] },
  ),
  quirk('usage is taken back to nothing', [said, uses(7, 3), finishes('stop'), uses(0, 0)], { usage: [7, 3, 0] }),
  quirk(
    'usage is negative',
    [said, finishes('stop'), { type: 'usage', usage: { prompt_tokens: -7, completion_tokens: 3 }, choices: 'empty' }],
    {},
  ),
  quirk(
    'usage is absurd',
    [said, finishes('stop'), { type: 'usage', usage: { prompt_tokens: 1e18, completion_tokens: 3 }, choices: 'empty' }],
    {},
  ),
  quirk(
    'cached tokens stand inside the prompt',
    [
      said,
      finishes('stop'),
      {
        type: 'usage',
        usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } },
        choices: 'empty',
      },
    ],
    { usage: [7, 3, 5] },
  ),
  quirk(
    'cached tokens stand beside the input',
    [
      said,
      finishes('stop'),
      { type: 'usage', usage: { input_tokens: 2, output_tokens: 3, cache_read_input_tokens: 5 }, choices: 'empty' },
    ],
    { usage: [7, 3, 5] },
  ),
]

const calls29: readonly Quirk[] = [
  quirk('a call in pieces', [said, calls('read', path, { pieceLength: 3 }), finishes('tool_calls')], {
    calls: [['read', path]],
    end: 'calls',
  }),
  quirk(
    'two calls without an index',
    [
      calls('read', path, { index: null, id: 'a', pieceLength: 4 }),
      calls('list', '{}', { index: null, id: 'b' }),
      finishes('tool_calls'),
    ],
    {
      text: '',
      calls: [
        ['read', path],
        ['list', '{}'],
      ],
      end: 'calls',
    },
  ),
  quirk(
    'two calls with neither index nor id',
    [
      calls('read', path, { index: null, id: null, pieceLength: 4 }),
      calls('list', '{}', { index: null, id: null }),
      finishes('tool_calls'),
    ],
    {
      text: '',
      calls: [
        ['read', path],
        ['list', '{}'],
      ],
      end: 'calls',
    },
  ),
  quirk(
    'two calls under one index',
    [calls('read', path, { id: 'a' }), calls('list', '{}', { id: 'b' }), finishes('tool_calls')],
    {
      text: '',
      calls: [
        ['read', path],
        ['list', '{}'],
      ],
      end: 'calls',
    },
  ),
  quirk(
    'two calls with one id',
    [
      calls('read', '{"path":"a"}', { index: null, id: 'a' }),
      calls('read', path, { index: null, id: 'a' }),
      finishes('tool_calls'),
    ],
    {
      text: '',
      calls: [
        ['read', '{"path":"a"}'],
        ['read', path],
      ],
      end: 'calls',
    },
  ),
  quirk('a far index', [calls('read', path, { index: 4_000_000_000, pieceLength: 5 }), finishes('tool_calls')], {
    text: '',
    calls: [['read', path]],
    end: 'calls',
  }),
  quirk(
    'an index in quotes',
    [
      fragment({ index: '1', id: 'a', function: { name: 'read', arguments: path.slice(0, 6) } }),
      fragment({ index: '1', function: { arguments: path.slice(6) } }),
      finishes('tool_calls'),
    ],
    { text: '', calls: [['read', path]], end: 'calls' },
  ),
  quirk(
    'a name that comes late',
    [
      fragment({ index: 0, id: 'a', function: { arguments: path.slice(0, 6) } }),
      fragment({ index: 0, function: { name: 'read' } }),
      fragment({ index: 0, function: { arguments: path.slice(6) } }),
      finishes('tool_calls'),
    ],
    { text: '', calls: [['read', path]], end: 'calls' },
  ),
  quirk(
    'a name in every fragment',
    [
      fragment({ index: 0, id: 'a', function: { name: 'read', arguments: path.slice(0, 6) } }),
      fragment({ index: 0, id: 'a', function: { name: 'read', arguments: path.slice(6) } }),
      finishes('tool_calls'),
    ],
    { text: '', calls: [['read', path]], end: 'calls' },
  ),
  quirk(
    'a call that is sent once more when it is whole',
    [
      calls('read', path, { id: 'a', pieceLength: 5 }),
      fragment({ index: 0, id: 'a', function: { name: 'read', arguments: path } }),
      finishes('tool_calls'),
    ],
    { text: '', calls: [['read', path]], end: 'calls' },
  ),
  quirk(
    'arguments as an object',
    [fragment({ index: 0, id: 'a', function: { name: 'read', arguments: { path: 'ä/世.ts' } } }), finishes('tool_calls')],
    { text: '', calls: [['read', path]], end: 'calls' },
  ),
  quirk(
    'a call of the old kind',
    [
      delta({ function_call: { name: 'read', arguments: path.slice(0, 6) } }),
      delta({ function_call: { arguments: path.slice(6) } }),
      finishes('function_call'),
    ],
    { text: '', calls: [['read', path]], end: 'calls' },
  ),
  quirk('a call and the reason stop', [said, calls('read', path), finishes('stop')], { calls: [['read', path]], end: 'calls' }),
  quirk('arguments cut by the output limit', [calls('write', '{"text":"ä', { pieceLength: 4 }), finishes('length')], {
    text: '',
    calls: [['write', '{"text":"ä']],
    end: 'length',
  }),
  quirk('arguments cut, and a reason that hides it', [calls('write', '{"text":"ä', { pieceLength: 4 }), finishes('tool_calls')], {
    text: '',
    calls: [['write', '{"text":"ä']],
    end: 'calls',
  }),
  quirk(
    'a signature beside a call',
    [
      fragment({
        index: 0,
        id: 'a',
        function: { name: 'read', arguments: path },
        extra_content: { google: { thought_signature: 'c2ln' } },
      }),
      finishes('tool_calls'),
    ],
    { text: '', calls: [['read', path, { extra_content: { google: { thought_signature: 'c2ln' } } }]], end: 'calls' },
  ),
]

const failures34: readonly Quirk[] = [
  quirk('an error in place of the answer', [event({ error: { message: 'no', code: 400 } })], {
    text: '',
    end: 'endpoint_refused',
  }),
  quirk('an error after some words', [said, event({ error: { message: 'overloaded', code: 529 } })], { end: 'endpoint_failed' }),
  quirk('an error by name', [said, raw('event: error\ndata: {"message":"no"}\n\n')], { end: 'endpoint_failed' }),
  quirk('an error as the reason', [said, choice({ delta: {}, finish_reason: 'error' })], { end: 'endpoint_failed' }),
  quirk(
    'an error with a finish',
    [said, event({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error: { message: 'no', code: 502 } })],
    { end: 'endpoint_failed' },
  ),
  cutOff('the stream just ends', [said], {}),
  cutOff('the connection breaks', [said, { type: 'break' }], {}),
  cutOff('the connection breaks after the finish', [said, finishes('stop'), { type: 'break' }], { end: 'stop' }),
  quirk('an event that is not JSON', [said, raw('data: {"cut\n\n')], { end: 'endpoint_nonsense' }),
  quirk(
    'bytes that are no text',
    [
      raw(
        Buffer.concat([
          Buffer.from('data: {"choices":[{"delta":{"content":"Grüße'),
          Buffer.from([0xff, 0xc3]),
          Buffer.from('"}}]}\n\n'),
        ]),
      ),
      finishes('stop'),
    ],
    { text: 'Grüße\ufffd\ufffd' },
  ),
  {
    name: 'the answer is one document',
    step: answers(200, {
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: words,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: path } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    }),
    transcript: { text: words, calls: [['read', path]], usage: [7, 3, 0], end: 'calls' },
  },
  {
    name: 'the document is an error',
    step: answers(200, { error: { message: 'no such model', code: 404 } }),
    transcript: { text: '', end: 'endpoint_refused' },
  },
]

export const quirks: readonly Quirk[] = [...words28, ...usage28, ...calls29, ...failures34]
