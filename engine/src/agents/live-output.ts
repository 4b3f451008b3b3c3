/** What a running tool prints, merged into the turn's events while it runs. */
import type { OnOutput } from '../tools/index.ts'
import type { TurnEvent } from './turn-types.ts'

type Stream = 'stdout' | 'stderr'

/** Live output is a preview and every piece is a stored frame: past this the result has to do. In UTF-16 units. */
const liveLimit = 128 * 1024

export interface FollowedCall {
  readonly callId: string
  /** When its deadline is, told once it has run for a while. */
  readonly deadline: Extract<TurnEvent, { type: 'waiting' }>
}

/** How long a call runs before its countdown is told. Milliseconds. */
const noticeMs = 2_000

/**
 * Start work and yield what it prints until it settles; return what it settled to.
 *
 * Contract: pieces keep their order, neighbours of one stream are merged while nobody takes them,
 * and at most about 128 k characters come through, the last of which say so.
 */
export async function* followOutput<T>(
  { callId, deadline }: FollowedCall,
  start: (onOutput: OnOutput) => Promise<T>,
): AsyncGenerator<TurnEvent, T> {
  const waiting: { stream: Stream; text: string }[] = []
  let noticed = false
  let room = liveLimit
  let wake = () => {}
  const work = start((stream, text) => {
    if (room <= 0 || text === '') return
    room -= text.length
    const piece = room > 0 ? text : `${text.slice(0, text.length + room)}\n[live output ends here; the result has more]\n`
    const newest = waiting.at(-1)
    if (newest?.stream === stream) newest.text += piece
    else waiting.push({ stream, text: piece })
    wake()
  })
  let settled = false
  const end = () => {
    settled = true
    wake()
  }
  work.then(end, end)
  const notice = setTimeout(() => {
    noticed = true
    wake()
  }, noticeMs)
  try {
    for (;;) {
      if (noticed) yield deadline
      noticed = false
      for (let next = waiting.shift(); next; next = waiting.shift()) yield { type: 'output', callId, ...next }
      if (settled) return await work
      await new Promise<void>((resolve) => {
        wake = resolve
        // Something may have come while the loop above was being listened to.
        if (settled || noticed || waiting.length > 0) resolve()
      })
    }
  } finally {
    clearTimeout(notice)
  }
}
