/** HTTP as bytes, for requests that no client library would send. */
import { connect } from 'node:net'

export interface RawReply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Send the bytes, close our side, and give every reply that came before the server closed its side. */
export function sendRaw(port: number, bytes: string): Promise<RawReply[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'))
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that closes early resets what was still being sent; what it said first counts.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve(parseReplies(Buffer.concat(chunks).toString('latin1'))))
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

function parseReplies(text: string): RawReply[] {
  const replies: RawReply[] = []
  let rest = text
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = new Map(
      lines.map((entry) => [entry.slice(0, entry.indexOf(':')).toLowerCase(), entry.slice(entry.indexOf(':') + 1).trim()]),
    )
    const status = Number(first.split(' ')[1])
    const length = Number(headers.get('content-length') ?? 0)
    const at = end + 4
    const chunked = headers.get('transfer-encoding') === 'chunked'
    const body = chunked ? rest.slice(at) : rest.slice(at, at + length)
    if (status >= 200) replies.push({ status, headers, body })
    rest = chunked ? '' : rest.slice(at + length)
  }
  return replies
}
