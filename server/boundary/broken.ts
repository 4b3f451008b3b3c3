/** What is said to bytes that are no HTTP request, before there is any request to answer. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { makeRefusal, registry } from '@bridlewise/shared/refusals'
import type { FastifyReply } from 'fastify'
import { securityHeaders } from './headers.ts'

/** The request that a socket is at, from the moment on that its headers were read. */
const current = new WeakMap<Socket, ServerResponse>()

/**
 * Contract: called for every request before it is answered. False for one that came before the request
 * ahead of it was answered, or after an answer that ends the connection: it may be part of that one.
 */
export function noteRequest(socket: Socket, response: ServerResponse): boolean {
  const ahead = current.get(socket)
  current.set(socket, response)
  return ahead === undefined || (ahead.writableEnded && !last.has(ahead))
}

/** Answers after which the connection ends. */
const last = new WeakSet<ServerResponse>()

/** Say that the connection ends with this answer. Contract: what comes behind it has no effect. */
export function endConnection(reply: FastifyReply): void {
  last.add(reply.raw)
  reply.header('connection', 'close')
}

/**
 * Answer a request that Node's parser gave up on, and close the socket.
 *
 * Contract: one answer at most. What breaks in the body of a request that was answered already is
 * not answered again: it may be a second request, smuggled behind the first. A socket that never said
 * anything is closed without a word: browsers open some in advance, and would take what lies on one
 * for the answer to their next request. True when it was answered.
 */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): boolean {
  const response = current.get(socket)
  const answered = response?.headersSent === true && !response.req.complete
  if (error.code === 'ECONNRESET' || !socket.writable || answered || socket.bytesRead === 0) {
    socket.destroy()
    return false
  }
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
  return true
}
