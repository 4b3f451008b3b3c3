/** The HTTP server with its choke point installed and no route yet. */
import { randomUUID } from 'node:crypto'
import { makeRefusal, type Refusal, type RefusalCode } from '@bridlewise/shared/refusals'
import { fastifyCookie } from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Accounts } from '../accounts/index.ts'
import { type Admission, admit, checkForm, type Door, defaultGuard, type Guard } from './admit.ts'
import { RefusedBody, refusalOf, sendFault, sendRefusal } from './answer.ts'
import { parseJson } from './body.ts'
import { answerBrokenRequest, endConnection, noteRequest } from './broken.ts'
import type { LoggedFault } from './fault.ts'
import { securityHeaders } from './headers.ts'
import { allowedHosts, type Bound } from './host.ts'
import type { Limits } from './limits.ts'
import type { BoundedLog } from './log.ts'
import type { RateBook } from './rate.ts'
import { isApi, readFacts, recordedPath } from './request.ts'
import { type Witness, watchAnswer } from './witness.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    guard?: Guard
    /** The name of the operation that the route serves. */
    operation?: string
  }
  interface FastifyRequest {
    /** Set by the choke point before any handler runs. */
    admission: Admission | null
    /** Set when a no was sent. */
    refused: RefusalCode | null
    /** Whose call it was, where that is known of one that was not admitted as theirs. */
    identified: string | null
  }
}

export interface BoundaryParts {
  /** Null while the key home is locked: nobody can be known. */
  readonly accounts: Pick<Accounts, 'authenticate'> | null
  readonly rates: RateBook
  readonly limits: Limits
  readonly witness: Witness
  /** Told of every fault that is logged. */
  readonly onFault: (fault: LoggedFault) => void
  /** Where log lines go, and from which level on. */
  readonly log: { readonly level: string; readonly stream: Pick<BoundedLog, 'write'> }
}

export interface Boundary {
  readonly app: FastifyInstance
  /** Serve under the names of this socket. Until then every Host is refused. */
  open(bound: Bound): void
  /** Let another one answer what comes in on this socket from now on; what is being answered here goes on. */
  passOn(to: Boundary): void
  /** Refuse every new request; those under way go on. */
  shut(): void
}

/** Contract: routes that are added later, also those for unknown paths, lie behind the choke point. */
export function createBoundary(parts: BoundaryParts): Boundary {
  const { limits, witness } = parts
  const door: { -readonly [Field in keyof Door]: Door[Field] } = {
    hosts: new Set(),
    shut: false,
    accounts: parts.accounts,
    rates: parts.rates,
  }

  const app = Fastify({
    logger: {
      level: parts.log.level,
      stream: parts.log.stream,
      hooks: {
        logMethod(args, log) {
          const entry: unknown = args[0]
          if (isFaultEntry(entry)) parts.onFault(entry.fault)
          log.apply(this, args)
        },
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    // Unlike single random bytes, these come from a store that Node fills for many at once.
    genReqId: () => randomUUID().replaceAll('-', '').slice(0, 16),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    bodyLimit: 1,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    forceCloseConnections: true,
    return503OnClosing: false,
    http: {
      // A missing Host is answered by the choke point, with the headers of every other reply.
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: 2_000,
    },
    clientErrorHandler: (error, socket) => {
      if (!answerBrokenRequest(error, socket)) return
      const nobody = { operation: null, credentials: 'none', userId: null } as const
      witness({ code: 'request_malformed', ...nobody, address: socket.remoteAddress ?? '', method: '', path: '' })
    },
    frameworkErrors: (error, request, reply) => {
      watchAnswer(request as FastifyRequest, reply as FastifyReply, witness)
      const refusal = checkForm(readFacts(request.raw), door) ?? refusalOf(error, 0)
      reply.headers(securityHeaders)
      if (refusal) sendRefusal(reply as FastifyReply, refusal)
      else sendFault(reply as FastifyReply, error)
    },
  })
  app.server.maxConnections = limits.connections
  // Without a listener Node answers a strange expectation by itself, past the choke point.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

  // Cookies are written by the library and read by `credentials.ts`, which must see duplicates.
  app.register(fastifyCookie, { hook: false })
  app.decorateRequest('admission', null)
  app.decorateRequest('refused', null)
  app.decorateRequest('identified', null)
  app.addHook('onRequest', async (request, reply) => {
    const inTurn = noteRequest(request.raw.socket, reply.raw)
    watchAnswer(request, reply, witness)
    const facts = readFacts(request.raw)
    reply.headers(securityHeaders)
    if (isApi(facts)) reply.header('cache-control', 'no-store')
    if (!inTurn) endConnection(reply)
    const refusal = inTurn ? checkForm(facts, door) : makeRefusal('request_malformed', { problem: outOfTurn })
    if (refusal) return refuseAtDoor(request, reply, refusal)
    const guard = request.routeOptions.config.guard ?? defaultGuard(facts)
    const admission = admit(facts, door, { guard, address: request.raw.socket.remoteAddress })
    if (!admission.ok) {
      request.identified = admission.caller?.userId ?? null
      return refuseAtDoor(request, reply, admission.refusal)
    }
    request.admission = admission.value
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) => {
    if (bytes.length === 0) return undefined
    const body = parseJson(bytes, limits.jsonDepth)
    if (!body.ok) throw new RefusedBody(body.refusal)
    return body.value
  })

  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, makeRefusal('route_unknown')))
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request.routeOptions.bodyLimit ?? 0)
    return refusal ? sendRefusal(reply, refusal) : sendFault(reply, error)
  })

  return {
    app,
    open: (bound) => {
      door.hosts = allowedHosts(bound)
    },
    passOn: (to) => {
      app.server.removeAllListeners('request').on('request', (request, response) => to.app.routing(request, response))
    },
    shut: () => {
      door.shut = true
    },
  }
}

/** A fault is logged as `{ fault }`, be it by the logger of the server or by that of a request. */
function isFaultEntry(entry: unknown): entry is { readonly fault: LoggedFault } {
  return typeof entry === 'object' && entry !== null && 'fault' in entry
}

/** Blocks validate with zod. Fastify's own compilers take longer to load than the rest of it, and are never asked. */
function noSchemas(): never {
  throw new Error('a route was given a schema of the framework')
}

const outOfTurn = 'it came before the request ahead of it was answered'

/** Security events are worth a line; a caller who is not signed in is everyday. The query is never logged. */
function refuseAtDoor(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const level = everyday.has(refusal.code) ? 'info' : 'warn'
  const path = recordedPath(request.raw.url ?? '')
  request.log[level]({ refusal: refusal.code, method: request.raw.method, path }, 'refused at the door')
  return sendRefusal(reply, refusal)
}

const everyday: ReadonlySet<string> = new Set([
  'key_home_locked',
  'session_missing',
  'token_missing',
  'access_denied',
  'method_not_allowed',
])
