/** What is said to bytes that are no HTTP request, before there is any request to answer. */
import type { Socket } from 'node:net'
import { makeRefusal, registry } from '@bridlewise/shared/refusals'
import { securityHeaders } from './headers.ts'

/**
 * Answer a request that Node's parser gave up on, and close the socket.
 *
 * Contract: one answer at most, never a second one to a request that was smuggled behind the first.
 */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const problem = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'it did not arrive in time' : 'it is not an HTTP request'
  const refusal = makeRefusal('request_malformed', { problem })
  const body = JSON.stringify({ refusal })
  const headers = {
    ...securityHeaders,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${registry.request_malformed.status} Bad Request\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () =>
    socket.destroy(),
  )
}
