import { z } from 'zod'
import { command, defineBlock, query } from '../define/index.ts'

const authority = z.object({
  /** SHA-256 of the certificate, in hexadecimal. */
  id: z.string(),
  name: z.string(),
  expiresAt: z.number().int(),
})

export const network = defineBlock({
  id: 'network',
  title: 'Network',
  about: 'The way to model endpoints: a proxy, and which authorities are trusted. This machine is never reached through a proxy.',
  surface: 'generic',
  operations: {
    get: query({
      path: '',
      title: 'Read the proxy in force and the added authorities',
      access: 'admin',
      input: z.strictObject({}),
      output: z.object({
        /** The proxy in force and who names it, in words; never what opens it. */
        proxy: z.string(),
        /** Who names a proxy, in the order in which they are asked: the first one counts. */
        proxies: z.array(
          z.object({
            id: z.enum(['environment', 'stored', 'system']),
            by: z.string(),
            proxy: z.string(),
            /** Hosts that are reached without it. */
            exempt: z.string(),
            state: z.string(),
          }),
        ),
        /** What went which way since the start, in words. */
        sent: z.string(),
        authorities: z.array(authority),
        /** Certificates that Node took over from NODE_EXTRA_CA_CERTS. */
        fromEnvironment: z.number().int(),
      }),
    }),
    setProxy: command({
      path: '/setProxy',
      title: 'Have requests go through a proxy',
      access: 'admin',
      input: z.strictObject({
        address: z
          .string()
          .trim()
          .min(1)
          .max(2000)
          .describe('http://host:port, or https:// for a proxy that is reached with TLS.'),
        username: z
          .string()
          .trim()
          .max(200)
          .default('')
          .meta({ title: 'User name' })
          .describe('Empty for a proxy that is open to all.'),
        password: z.string().max(200).default('').describe('It is sealed and never shown again.'),
        exempt: z
          .string()
          .trim()
          .max(4000)
          .default('')
          .meta({ title: 'Reached without it' })
          .describe('Hosts that are reached without it: example.com, 10.0.0.0/8, apart by commas.'),
      }),
      output: z.object({}),
      refusals: ['proxy_invalid'],
    }),
    removeProxy: command({
      path: '/removeProxy',
      title: 'Remove the proxy that was set here',
      access: 'admin',
      input: z.strictObject({}),
      output: z.object({}),
    }),
    addAuthorities: command({
      path: '/addAuthorities',
      title: 'Trust the authorities of a PEM bundle',
      access: 'admin',
      bodyLimit: 320 * 1024,
      input: z.strictObject({
        certificates: z
          .string()
          .trim()
          .min(1)
          .max(262_144)
          .describe('Certificates of authorities in PEM form, one after the other. No private key belongs here.'),
      }),
      /** How many were not there before. */
      output: z.object({ added: z.number().int() }),
      refusals: ['authorities_invalid'],
    }),
    removeAuthority: command({
      path: '/removeAuthority',
      title: 'Trust an added authority no more',
      access: 'admin',
      input: z.strictObject({ authorityId: z.string().min(1).max(64) }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
  },
  tables: [
    {
      id: 'proxies',
      title: 'Proxies',
      operation: 'get',
      rows: 'proxies',
      key: 'id',
      empty: 'Neither the environment of the server nor an administrator nor /etc/environment names one.',
      columns: [
        { field: 'by', title: 'Named by', format: 'text' },
        { field: 'proxy', title: 'Proxy', format: 'mono' },
        { field: 'exempt', title: 'Reached without it', format: 'mono' },
        { field: 'state', title: 'State', format: 'text' },
      ],
    },
    {
      id: 'authorities',
      title: 'Added authorities',
      operation: 'get',
      rows: 'authorities',
      key: 'id',
      empty: 'None was added here: the authorities that Node brings are trusted.',
      columns: [
        { field: 'name', title: 'Name', format: 'text' },
        { field: 'expiresAt', title: 'Expires', format: 'time' },
        { field: 'id', title: 'SHA-256', format: 'mono' },
      ],
    },
  ],
  signals: [
    { id: 'proxy', title: 'Proxy in force', operation: 'get', at: 'proxy', format: 'text' },
    { id: 'sent', title: 'Since the start', operation: 'get', at: 'sent', format: 'text' },
    {
      id: 'fromEnvironment',
      title: 'Authorities from NODE_EXTRA_CA_CERTS',
      operation: 'get',
      at: 'fromEnvironment',
      format: 'number',
    },
  ],
  actions: [
    { id: 'setProxy', title: 'Set the proxy', operation: 'setProxy', on: 'block', table: 'proxies' },
    {
      id: 'removeProxy',
      title: 'Remove the proxy',
      operation: 'removeProxy',
      on: 'block',
      table: 'proxies',
      confirm:
        'Remove the proxy that was set here, with its password? Requests then go the way that the environment or the system names, or straight.',
    },
    { id: 'addAuthorities', title: 'Add authorities', operation: 'addAuthorities', on: 'block', table: 'authorities' },
    {
      id: 'removeAuthority',
      title: 'Remove',
      operation: 'removeAuthority',
      on: 'row',
      table: 'authorities',
      fill: { authorityId: 'id' },
      confirm: 'Trust {name} no more? Endpoints whose certificates it signed are refused from the next request on.',
    },
  ],
})
