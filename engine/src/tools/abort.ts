/** Waiting that a signal can end, whatever is waited for. */

export const aborted = Symbol('aborted')

/**
 * Wait for a promise or for the signal, whichever comes first.
 *
 * Contract: leaves no listener behind, so it may be called once per token of a long stream. When the
 * signal wins, a later rejection of the promise is swallowed: nobody is left to tell.
 */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | typeof aborted> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(aborted)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', stop)
        resolve(value)
      },
      (problem: unknown) => {
        signal.removeEventListener('abort', stop)
        reject(problem)
      },
    )
  })
}
