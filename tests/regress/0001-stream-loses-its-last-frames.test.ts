/** A stream that ended in the tick of its last frames lost them: the end of a chunked body overtook what was corked. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { defaultLimits } from '../../server/index.ts'
import { EventWriter } from '../../server/projection/events.ts'

it('delivers every frame also when the frames end in the same tick', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const frames = [1, 2, 3].map((number) => ({ number, kind: number === 3 ? 'ended' : 'text' }))
    void new EventWriter(response, defaultLimits).writeAll(at(frames))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map((match) => match[1])
    expect(ids).toEqual(['1', '2', '3'])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

async function* at(frames: readonly object[]): AsyncGenerator<object> {
  yield* frames
}
