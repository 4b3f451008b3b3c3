/** The dispatcher of an installation on which nobody set anything: no proxy, and the authorities of the runtime. */
import { createDispatcher, type Dispatcher } from '../../server/network/index.ts'

export function straight(): Dispatcher {
  return createDispatcher({
    environment: null,
    system: null,
    authoritiesFile: null,
    settings: () => ({ proxy: null, authorities: [] }),
  })
}
