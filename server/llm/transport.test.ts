import type { LookupAddress } from 'node:dns'
import { describe, expect, it, vi } from 'vitest'
import { straight } from '../../tests/support/straight.ts'
import { usualLimits } from './bridge.ts'
import { createTransport } from './transport.ts'
import type { DeniedEgress } from './types.ts'
import { createWatch } from './watch.ts'

/** What the name resolves to in the test at hand; a real resolver could not be told. */
let resolved: LookupAddress[] = []
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof import('node:dns')>()),
  lookup: (_name: string, _options: object, done: (failure: null, addresses: LookupAddress[]) => void) => done(null, resolved),
}))

describe('a name that turns out to lie at an address that is never contacted', () => {
  it.each([
    ['cloud metadata', '169.254.169.254', ['address_refused']],
    ['any interface', '0.0.0.0', ['address_refused']],
    ['another machine, under a name of this one', '10.0.0.1', ['address_refused']],
    ['this machine and, second, cloud metadata', '127.0.0.1 169.254.169.254', ['address_refused']],
    ['this machine, where nothing listens', '127.0.0.1', []],
  ])('is told of without its name: %s', async (_what, addresses, reasons) => {
    resolved = addresses.split(' ').map((address) => ({ address, family: 4 }))
    const denied: DeniedEgress[] = []
    const dispatcher = straight()
    const transport = createTransport({
      dispatcher,
      version: '0',
      limits: usualLimits,
      onDenied: (egress) => denied.push(egress),
    })
    const endpoint = { kind: 'custom', baseUrl: 'http://localhost:9/v1', apiKey: null }
    const watch = createWatch(usualLimits, new AbortController().signal)
    const request = { endpoint, path: '/models', body: null, accept: 'application/json' } as const
    await expect(transport.send(request, watch, (text) => text)).rejects.toMatchObject({
      refusal: { code: 'endpoint_unreachable' },
    })
    expect(denied).toEqual(reasons.map((reason) => ({ reason, method: 'GET', path: '/models' })))
    watch.stop()
    dispatcher.close()
  })
})
