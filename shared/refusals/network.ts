/** What can be wrong on the way to an endpoint: a proxy, or what somebody set for it. */
import type { RefusalEntry } from './entry.ts'

export const networkRefusals = {
  proxy_invalid: {
    status: 400,
    fix: 'operator',
    retry: 'after-change',
    message: '{where} cannot be used: {problem}. Write it as http://host:port, or remove it to go without a proxy.',
  },
  proxy_unreachable: {
    status: 502,
    fix: 'operator',
    retry: 'later',
    message:
      'The proxy {proxy} cannot be reached: {problem}. Nothing goes past it. Check that it runs and that its address is right.',
  },
  proxy_unauthorized: {
    status: 502,
    fix: 'operator',
    retry: 'after-change',
    message: 'The proxy {proxy} wants a user name and a password; {problem}. Set them where the proxy is set.',
  },
  proxy_refused: {
    status: 502,
    fix: 'operator',
    retry: 'after-change',
    message:
      'The proxy {proxy} did not open a way to the endpoint ({status}). Ask whoever runs it to allow that address, or exempt the address from the proxy.',
  },
  authorities_invalid: {
    status: 400,
    fix: 'user',
    retry: 'after-change',
    message: 'These certificates were not taken: {problem}.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>
