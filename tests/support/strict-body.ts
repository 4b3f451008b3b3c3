/** What the strictest servers say about the body of a chat completion request: every rule of any of them, in one judge. */

export interface Strictness {
  /** The role of the one message in front; `user` where instructions are the person's first words. */
  readonly instructions: 'system' | 'developer' | 'user'
  readonly toolNameLength: number
}

/** The longest id of a call that is taken anywhere, in characters. */
const longestId = 40

/** What a strict server would refuse, in words; empty for a body that everybody takes. */
export function findRefusable(body: string, { instructions, toolNameLength }: Strictness): string[] {
  const { messages, tools = [] } = JSON.parse(body) as Body
  const names = tools.map((tool) => tool.function.name)
  const [front, ...others] = messages
  const talk = instructions === 'user' ? messages : others
  return [
    ...(instructions !== 'user' && front?.role !== instructions ? ['no instructions in front'] : []),
    ...talk.filter(({ role }) => !talking.has(role)).map(({ role }) => `${role} is not in front`),
    ...(talk[0]?.role === 'user' ? [] : ['the person does not begin']),
    ...(talk.at(-1)?.role === 'assistant' ? ['the model has the last word'] : []),
    ...talk.flatMap(({ role }, at) => (role !== 'tool' && talk[at + 1]?.role === role ? [`two of ${role} side by side`] : [])),
    ...messages.flatMap(judgeContent),
    ...judgePairs(messages),
    ...judgeCalls(messages.flatMap((message) => message.tool_calls ?? [])),
    ...judgeNames([...names, ...messages.flatMap(namesCalled)], toolNameLength),
    ...(new Set(names).size < names.length ? ['two tools of one name'] : []),
  ]
}

interface Body {
  readonly messages: readonly Message[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

interface Message {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly Call[]
}

interface Call {
  readonly id: string
  readonly type: string
  readonly function: { readonly name: string; readonly arguments: string }
}

const talking = new Set(['user', 'assistant', 'tool'])

function judgeContent({ role, content, tool_calls }: Message): string[] {
  if (tool_calls?.length === 0) return ['an empty list of calls']
  if (content === null && tool_calls) return []
  return typeof content === 'string' && content.trim() !== '' ? [] : [`nothing said by ${role}`]
}

/** Every call is answered once, at once and in order; nothing else is answered. */
function judgePairs(messages: readonly Message[]): string[] {
  const faults: string[] = []
  let open: string[] = []
  for (const { role, tool_call_id, tool_calls = [] } of messages) {
    if (role === 'tool') {
      if (open.shift() !== tool_call_id) faults.push('a result without its call')
      continue
    }
    if (open.length > 0) faults.push('a call without its result')
    open = tool_calls.map(({ id }) => id)
  }
  return open.length > 0 ? [...faults, 'a call without its result'] : faults
}

function judgeCalls(calls: readonly Call[]): string[] {
  const ids = calls.map(({ id }) => id)
  return [
    ...(new Set(ids).size < ids.length ? ['two calls of one id'] : []),
    ...ids.filter((id) => !/^[A-Za-z0-9_-]+$/.test(id) || id.length > longestId).map((id) => `the id ${id}`),
    ...calls.flatMap(({ type, function: { arguments: text } }) =>
      type === 'function' && isObject(text) ? [] : [`the call of ${text}`],
    ),
  ]
}

function judgeNames(names: readonly string[], longest: number): string[] {
  return names.filter((name) => !/^[A-Za-z0-9_-]+$/.test(name) || name.length > longest).map((name) => `the name ${name}`)
}

function namesCalled({ tool_calls = [] }: Message): readonly string[] {
  return tool_calls.map((call) => call.function.name)
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
