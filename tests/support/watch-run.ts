/** Somebody who watches a run over the wire. */
import type { Session, TestServer } from './server.ts'

export interface WatchedRun {
  /** Settles when the server has ended the stream. */
  readonly ended: Promise<void>
  /** Settles when something more has come; rejects when the stream ended instead. */
  alive(): Promise<void>
  leave(): Promise<void>
}

/** A stream of a run, read as it comes. */
export async function watchRun(server: TestServer, who: Pick<Session, 'headers'>, runId: string): Promise<WatchedRun> {
  const response = await fetch(`${server.url}/api/run/${runId}/stream`, { headers: who.headers })
  if (response.status !== 200) throw new Error(`the stream answered ${response.status}`)
  const reader = response.body?.getReader()
  if (!reader) throw new Error('a stream without a body')
  let next = Promise.withResolvers<void>()
  const ended = (async () => {
    for (;;) {
      const { done } = await reader.read()
      if (done) return
      next.resolve()
    }
  })()
  return {
    ended,
    alive: () => {
      next = Promise.withResolvers<void>()
      return Promise.race([next.promise, ended.then(() => Promise.reject(new Error('the stream ended')))])
    },
    leave: async () => void (await reader.cancel()),
  }
}
