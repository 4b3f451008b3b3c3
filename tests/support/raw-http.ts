/** HTTP as bytes, for requests that no client library would send. */
import { connect } from 'node:net'

export interface RawReply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/**
 * Send the bytes, and give every reply that comes.
 *
 * Our side stays open until the first reply is whole: Node drops what it has not answered when the
 * other side ends. Then it waits for the server to close, or closes where the server keeps the socket.
 */
export function sendRaw(port: number, bytes: string): Promise<RawReply[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    // The reply to a HEAD names the length of a body that it does not have.
    const parse = bytes.startsWith('HEAD ') ? parseHeads : parseReplies
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const [first] = parse(text)
      if (first && first.headers.get('connection') !== 'close') socket.end()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that closes early resets what was still being sent; what it said first counts.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(parse(text)))
  })
}

/** A request line and headers; `Host` is the server's own unless given, `null` leaves it out. */
export function rawRequest(
  port: number,
  given: {
    readonly line?: string
    readonly host?: string | null
    readonly headers?: readonly string[]
    readonly body?: string
  } = {},
): string {
  const { line = 'GET /api/health HTTP/1.1', host = `127.0.0.1:${port}`, headers = [], body = '' } = given
  return `${[line, ...(host === null ? [] : [`Host: ${host}`]), ...headers].join('\r\n')}\r\n\r\n${body}`
}

function parseHeads(text: string): RawReply[] {
  return parseReplies(text.replaceAll(/\r\ncontent-length: \d+/gi, ''))
}

/** The replies that are whole, without those that only say to go on. */
function parseReplies(text: string): RawReply[] {
  const replies: RawReply[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return replies
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = new Map(
      lines.map((entry) => [entry.slice(0, entry.indexOf(':')).toLowerCase(), entry.slice(entry.indexOf(':') + 1).trim()]),
    )
    const length =
      headers.get('transfer-encoding') === 'chunked' ? chunkedLength(rest, end) : Number(headers.get('content-length') ?? 0)
    if (length === null || rest.length < end + 4 + length) return replies
    const status = Number(first.split(' ')[1])
    if (status >= 200) replies.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
}

function chunkedLength(text: string, end: number): number | null {
  const last = text.indexOf('\r\n0\r\n\r\n', end)
  return last === -1 ? null : last + 7 - (end + 4)
}
