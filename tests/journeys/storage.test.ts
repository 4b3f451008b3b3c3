/** What is kept, and how much of it: where a person looks for it, and what an administrator sees beside it. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { call, enter, join, type Person } from '../support/people.ts'
import { passphrase, startTestServer, type TestServer } from '../support/server.ts'
import { watchConsole } from './support/console.ts'

describe('the settings', () => {
  let server: TestServer
  let browser: Browser
  let bob: Person

  beforeAll(async () => {
    server = await startTestServer({ fixturePaceMs: 0, environment: { HARNESS_WEB_LLM_FIXTURES: '1' } })
    const ada = await enter(server, 'setup', { code: server.running.setupCode(), username: 'ada', password: passphrase })
    bob = await join(server, ada, { username: 'bob' })
    const { body } = await call(server, 'run/start', { headers: ada.headers, input: { prompt: 'hello', mode: 'plan' } })
    const { id } = body['run'] as { id: string }
    await fetch(`${server.url}/api/run/${id}/stream`, { headers: ada.headers }).then((response) => response.text())
    browser = await launchBrowser()
  }, 180_000)

  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
  })

  async function openSettings(username: string): Promise<Page> {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(server.url)
    await page.getByLabel('User name').fill(username)
    await page.getByLabel('Password', { exact: true }).fill(passphrase)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor({ state: 'detached' })
    await page.goto(`${server.url}/#/settings`)
    await page.getByRole('heading', { name: 'Storage', exact: true }).waitFor()
    return page
  }

  it('show what is kept, take less of it, and clean at once', async () => {
    const page = await openSettings('ada')
    const complaints = watchConsole(page)
    await page.getByRole('cell', { name: 'Streams of ended runs, for replay' }).waitFor()
    await page.getByLabel('Mebibytes').fill('20')
    await page.getByLabel('Days', { exact: true }).fill('30')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.reload()
    await expect.poll(() => page.getByLabel('Days', { exact: true }).inputValue()).toBe('30')
    await page.getByRole('button', { name: 'Clean now' }).click()
    await page.getByRole('dialog').getByText('your words and the ledger stay').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Clean now' }).click()
    await page.getByRole('status', { name: 'Clean now' }).waitFor()
    await page.getByText('Unused in it').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 })
        const spill = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        expect(spill, `${colorScheme} ${width}`).toBe(0)
        await page.getByRole('heading', { name: 'Storage', exact: true }).scrollIntoViewIfNeeded()
        await page.getByRole('button', { name: 'Clean now' }).scrollIntoViewIfNeeded()
        await keepShot(page, `storage-${colorScheme}-${width}`)
      }
    }
    expect(complaints).toEqual([])
  })

  it('tell a member when an administrator allows less, and show them nothing of the database', async () => {
    const page = await openSettings('bob')
    await page.getByRole('cell', { name: 'Streams of ended runs, for replay' }).waitFor()
    expect(await page.getByText('Unused in it').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Limit everybody' }).count()).toBe(0)
    await page.getByLabel('Mebibytes').fill('1000000')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('An administrator allows at most 16384 MiB and 3650 days. Choose less.', { exact: true }).waitFor()
    expect((await call(server, 'storage', { headers: bob.headers })).body['limits']).toMatchObject({ mebibytes: 1024 })
  })
})

/** Pictures for whoever wants to look, where they ask for them. */
async function keepShot(page: Page, name: string): Promise<void> {
  const folder = process.env['BRIDLEWISE_SHOTS']
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
}
