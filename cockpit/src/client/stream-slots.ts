/**
 * Few long streams for all tabs together. A browser opens six connections to one host over HTTP/1.1;
 * if streams held them all, no tab could send a call any more, not even the one that stops a run.
 */

/** Give a slot back. */
export type ReleaseSlot = () => void

/** Take a slot if one is free. Null means: look in from time to time, and leave again. */
export type TakeSlot = () => Promise<ReleaseSlot | null>

const slots = 3

/** Contract: the browser frees the slots of a tab that is closed or crashes. Without locks there is no limit. */
export function createStreamSlots(locks: LockManager | undefined): TakeSlot {
  if (!locks) return async () => () => undefined
  return async () => {
    for (let slot = 0; slot < slots; slot += 1) {
      const release = await tryLock(locks, `bridlewise.stream.${slot}`)
      if (release) return release
    }
    return null
  }
}

function tryLock(locks: LockManager, name: string): Promise<ReleaseSlot | null> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock) return new Promise<void>((release) => resolve(release))
        resolve(null)
        return undefined
      })
      .catch(reject)
  })
}
