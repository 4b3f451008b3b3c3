/** A stream that says nothing for too long is dead, although the socket may not know it yet. */

/**
 * Give a response whose body fails after `limitMs` without a byte. Heartbeats are comments that the
 * event parser swallows, so only down here can they be heard.
 */
export function limitSilence(response: Response, limitMs: number): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`nothing arrived for ${limitMs / 1000} s`)), limitMs)
      })
      try {
        const { done, value } = await Promise.race([reader.read(), silence])
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (cause) {
        controller.error(cause)
        await reader.cancel(cause).catch(() => undefined)
      } finally {
        clearTimeout(timer)
      }
    },
    async cancel(reason) {
      clearTimeout(timer)
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
