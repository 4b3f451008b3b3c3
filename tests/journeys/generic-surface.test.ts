/** A block that was declared in this file has a place in the cockpit, though no component knows it. */

import type { CallContext } from '@bridlewise/server'
import { command, defineBlock, type Handlers, query } from '@bridlewise/shared'
import { ok, refuse } from '@bridlewise/shared/refusals'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { launchBrowser } from '../support/browser.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'

const jar = z.object({ id: z.string(), label: z.string(), grams: z.number() })

const pantry = defineBlock({
  id: 'pantry',
  title: 'Pantry',
  about: 'Jars on a shelf, declared in a test.',
  operations: {
    list: query({ path: '/list', title: 'List jars', input: z.strictObject({}), output: z.object({ jars: z.array(jar) }) }),
    fill: command({
      path: '/fill',
      title: 'Fill a jar',
      status: 201,
      input: z.strictObject({ label: z.string().min(1), grams: z.number().int().min(1).max(1000) }),
      output: z.object({ jar }),
    }),
    empty: command({
      path: '/:jarId/empty',
      title: 'Empty a jar',
      input: z.strictObject({ jarId: z.string() }),
      output: z.object({}),
      refusals: ['thing_unknown'],
    }),
  },
  tables: [
    {
      id: 'jars',
      title: 'Jars',
      operation: 'list',
      rows: 'jars',
      key: 'id',
      empty: 'The shelf is bare.',
      columns: [
        { field: 'label', title: 'Label', format: 'text' },
        { field: 'grams', title: 'Grams', format: 'number' },
      ],
    },
  ],
  actions: [
    { id: 'fill', title: 'Fill a jar', operation: 'fill', on: 'block' },
    { id: 'empty', title: 'Empty', operation: 'empty', on: 'row', fill: { jarId: 'id' }, confirm: 'Empty the jar {label}?' },
  ],
})

const shelf = new Map<string, z.infer<typeof jar>>()
const handlers: Handlers<typeof pantry, CallContext> = {
  list: async () => ok({ jars: [...shelf.values()] }),
  fill: async (_context, { label, grams }) => {
    const filled = { id: String(shelf.size + 1), label, grams }
    shelf.set(filled.id, filled)
    return ok({ jar: filled })
  },
  empty: async (_context, { jarId }) => (shelf.delete(jarId) ? ok({}) : refuse('thing_unknown', { kind: 'jar' })),
}

describe('a block without a component', () => {
  let server: TestServer
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    server = await startTestServer({ extra: { blocks: [pantry], handlers: { pantry: handlers } } })
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(15_000)
    await page.goto(server.url)
    await page.getByLabel('Setup code').fill(server.running.setupCode() ?? '')
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill(passphrase)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  it('stands in the navigation, and says what its empty table is for', async () => {
    await page.getByRole('link', { name: 'Pantry' }).first().click()
    await page.getByText('The shelf is bare.').waitFor()
  })

  it('takes a form made from the schema, and shows the new row', async () => {
    await page.getByRole('button', { name: 'Fill a jar' }).first().click()
    await page.getByLabel(/label/i).fill('rye')
    await page.getByLabel(/grams/i).fill('500')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Fill a jar' })
      .or(page.getByRole('button', { name: 'Fill a jar' }))
      .last()
      .click()
    await page.getByRole('cell', { name: 'rye', exact: true }).waitFor()
    expect([...shelf.values()]).toEqual([{ id: '1', label: 'rye', grams: 500 }])
  })

  it('asks before it does what was declared to need it, naming the thing', async () => {
    await page
      .getByRole('button', { name: /^Empty/ })
      .first()
      .click()
    await page.getByText('Empty the jar rye?').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Empty/ })
      .click()
    await page.getByText('The shelf is bare.').waitFor()
    expect(shelf.size).toBe(0)
  })
})
